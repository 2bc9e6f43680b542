import { findingOf } from './finding.ts';
import { signatureOf, watchUnhandledRejections } from './run.ts';
import { depthFirst, type Hooks, type Tally } from './search.ts';
import type { Finding, Scenario } from './types.ts';
import { Visited } from './visited.ts';

export interface ExploreOptions {
  readonly seconds: number;
  /** The largest budget that is explored exhaustively, or Infinity for one pass without a bound. */
  readonly budget: number;
  /** Room for visited states, per scenario. Beyond it, less is pruned. Default 5 million. */
  readonly maxStates?: number;
  readonly stopAtFirst?: boolean;
  /** Default true. Without pruning each interleaving is a schedule of its own. */
  readonly prune?: boolean;
}

export interface ScenarioReport {
  readonly name: string;
  /** Every schedule of this cost or less was explored; null: not even those of cost 0. */
  completedBudget: number | null;
  /** All schedules were explored, at any cost. */
  exhausted: boolean;
  states: number;
  /** The table of states was full: from then on less was pruned. */
  full: boolean;
  /** Schedules that were run to their end or to a failure, in the same budget. */
  schedules: number;
  /** Schedules that were cut in a state that was known, in the same budget. */
  pruned: number;
  /** All runs, including those of smaller budgets. */
  runs: number;
  steps: number;
  deepest: number;
  failures: number;
  findings: Finding[];
}

export interface ExploreReport {
  readonly scenarios: readonly ScenarioReport[];
  readonly seconds: number;
}

const STATES_DEFAULT = 5_000_000;

/**
 * Explores each scenario depth-first with budget 0, then 1, 2, …, in turns, until the time or the budget is used up.
 */
export async function explore(scenarios: readonly Scenario[], options: ExploreOptions): Promise<ExploreReport> {
  const { budget } = options;
  if (budget !== Number.POSITIVE_INFINITY && !(Number.isInteger(budget) && budget >= 0)) {
    throw new Error('A budget is a whole number, or Infinity.');
  }
  for (const scenario of scenarios) await scenario.prepare?.();
  using _watch = watchUnhandledRejections();
  const explorer = new Explorer(scenarios, options);
  await explorer.deepen();
  return explorer.report();
}

interface Explored {
  readonly scenario: Scenario;
  readonly report: ScenarioReport;
}

class Explorer {
  readonly #options: ExploreOptions;
  readonly #all: readonly Explored[];
  readonly #started = Date.now();
  #stopped = false;

  constructor(scenarios: readonly Scenario[], options: ExploreOptions) {
    this.#options = options;
    this.#all = scenarios.map((scenario) => ({ scenario, report: emptyReport(scenario.name) }));
  }

  report(): ExploreReport {
    return { scenarios: this.#all.map(({ report }) => report), seconds: (Date.now() - this.#started) / 1000 };
  }

  async deepen(): Promise<void> {
    const { budget: largest, seconds } = this.#options;
    const end = this.#started + seconds * 1000;
    let open = [...this.#all];
    for (let budget = largest === Number.POSITIVE_INFINITY ? largest : 0; budget <= largest; budget++) {
      const round = open;
      for (const [at, one] of round.entries()) {
        const now = Date.now();
        if (now >= end || this.#stopped) return;
        const deadline = now + (end - now) / (round.length - at);
        const complete = await this.#depthFirst(one, budget, deadline);
        if (complete) one.report.completedBudget = budget;
        if (!complete || one.report.exhausted) open = open.filter((other) => other !== one);
      }
      if (open.length === 0 || budget === Number.POSITIVE_INFINITY) return;
    }
  }

  /** @returns whether every schedule of this cost was explored */
  async #depthFirst({ scenario, report }: Explored, budget: number, deadline: number): Promise<boolean> {
    const { prune = true, maxStates = STATES_DEFAULT } = this.#options;
    const visited = new Visited(prune ? maxStates : 0);
    const hooks = this.#hooks(deadline);
    const tally = await depthFirst(scenario, budget, prune ? visited : null, hooks);
    const { schedules, pruned, complete, unbounded } = tally;
    // A larger budget repeats the smaller one: what is counted is the larger of the two, not the sum.
    if (schedules + pruned > report.schedules + report.pruned) Object.assign(report, { schedules, pruned });
    report.states = Math.max(report.states, visited.size);
    report.full ||= prune && visited.full;
    report.exhausted = complete && unbounded;
    await this.#merge({ scenario, report }, tally);
    return complete;
  }

  #hooks(deadline: number): Hooks {
    return {
      stopped: () => this.#stopped || Date.now() >= deadline,
      ran: (failed) => {
        if (failed && this.#options.stopAtFirst) this.#stopped = true;
      },
    };
  }

  async #merge({ scenario, report }: Explored, tally: Tally): Promise<void> {
    report.runs += tally.schedules + tally.pruned;
    report.steps += tally.steps;
    report.deepest = Math.max(report.deepest, tally.deepest);
    report.failures += tally.failures;
    const known = new Set(report.findings.map(({ failure }) => signatureOf(failure)));
    for (const [signature, { failure, path }] of tally.found) {
      if (!known.has(signature)) report.findings.push(await findingOf(scenario, path, failure));
    }
  }
}

function emptyReport(name: string): ScenarioReport {
  return {
    name,
    completedBudget: null,
    exhausted: false,
    states: 0,
    full: false,
    schedules: 0,
    pruned: 0,
    runs: 0,
    steps: 0,
    deepest: 0,
    failures: 0,
    findings: [],
  };
}
