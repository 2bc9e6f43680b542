import {
  type Done,
  HUNGRY,
  type Lane,
  localLane,
  type Order,
  RUNS,
  type Shared,
  STEPS,
  STOPPED,
  workerLane,
} from './lane.ts';
import { signatureOf } from './run.ts';
import type { Job } from './search.ts';
import type { Finding, Scenario } from './types.ts';
import { BUDGET_MAX, Visited } from './visited.ts';

export interface ExploreOptions {
  /** Threads; 0 explores in this one. More than 0 needs `module`. */
  readonly workers: number;
  /** URL of the module that exports these `scenarios`: workers import it. */
  readonly module?: string;
  /** For all scenarios together. */
  readonly seconds: number;
  /** The largest budget that is explored exhaustively: up to 61, or Infinity for one pass without a bound. */
  readonly budget: number;
  /** Room for visited states, per scenario: 8 bytes × 4/3 to 8/3 each. Beyond it, less is pruned. Default 5 million. */
  readonly maxStates?: number;
  /** Share of the time that is kept for random walks. Default 0.2. */
  readonly walkShare?: number;
  /** Walks may cost so much more than the budget that was explored. Default 8. */
  readonly walkBudget?: number;
  readonly seed?: number;
  /** After this many schedules one is run twice more and compared; 0: never. Default 1,000. */
  readonly selfCheckEvery?: number;
  readonly stopAtFirst?: boolean;
  /** Default true. Without pruning each interleaving is a schedule of its own. */
  readonly prune?: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly scenario: string;
  readonly budget: number | 'walks';
  readonly seconds: number;
  readonly runs: number;
  readonly steps: number;
  readonly states: number;
}

export interface ScenarioReport {
  readonly name: string;
  /** Every schedule of this cost or less was explored; null: not even those of cost 0. */
  completedBudget: number | null;
  /** All schedules there are were explored, whatever they cost. */
  exhausted: boolean;
  /** Distinct states, in the largest budget that was explored or begun. */
  states: number;
  /** The table of states was full: from then on less was pruned. */
  full: boolean;
  /** Schedules that were run to their end or to a failure, in the same budget. */
  schedules: number;
  /** Schedules that were cut in a state that was known, in the same budget. */
  pruned: number;
  /** All runs, those of smaller budgets and walks included. */
  runs: number;
  /** Steps of all runs. */
  steps: number;
  deepest: number;
  walks: number;
  /** The most that a walk could cost; 0: there were none. */
  walkBudget: number;
  failures: number;
  findings: Finding[];
}

export interface ExploreReport {
  readonly scenarios: readonly ScenarioReport[];
  readonly seconds: number;
  readonly workers: number;
}

const STATES_DEFAULT = 5_000_000;
const WALKS_AT_ONCE = 200;
const PROGRESS_EVERY_MS = 500;

/**
 * Explores each scenario depth-first with budget 0, then 1, 2, …, in turns, until the time or the budget is used up;
 * then at random beyond.
 */
export async function explore(scenarios: readonly Scenario[], options: ExploreOptions): Promise<ExploreReport> {
  const { budget } = options;
  if (budget !== Number.POSITIVE_INFINITY && !(Number.isInteger(budget) && budget >= 0 && budget <= BUDGET_MAX)) {
    throw new Error(`A budget is a whole number up to ${BUDGET_MAX}, or Infinity.`);
  }
  const explorer = new Explorer(scenarios, options);
  try {
    await explorer.deepen();
    await explorer.walk();
    return explorer.report();
  } finally {
    await explorer.close();
  }
}

class Explorer {
  readonly #options: ExploreOptions;
  readonly #shared: Shared;
  readonly #control: Int32Array;
  readonly #visited: Visited;
  readonly #lanes: Lane[];
  readonly #reports: ScenarioReport[];
  readonly #started = Date.now();
  readonly #progress: NodeJS.Timeout;
  #doing: Pick<Progress, 'scenario' | 'budget'> = { scenario: '', budget: 0 };

  constructor(scenarios: readonly Scenario[], options: ExploreOptions) {
    this.#options = options;
    this.#shared = {
      visited: Visited.allocate(options.maxStates ?? STATES_DEFAULT),
      control: new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT),
    };
    this.#control = new Int32Array(this.#shared.control);
    this.#visited = new Visited(this.#shared.visited);
    this.#reports = scenarios.map(({ name }) => emptyReport(name));
    this.#lanes = this.#openLanes(scenarios);
    this.#progress = setInterval(() => this.#tell(), PROGRESS_EVERY_MS);
  }

  #openLanes(scenarios: readonly Scenario[]): Lane[] {
    const { workers, module } = this.#options;
    if (workers === 0) return [localLane(scenarios, this.#shared)];
    if (module === undefined) throw new Error('Workers need the module of the scenarios.');
    return Array.from({ length: workers }, () => workerLane(module, this.#shared));
  }

  async close(): Promise<void> {
    clearInterval(this.#progress);
    for (const lane of this.#lanes) await lane[Symbol.asyncDispose]();
  }

  report(): ExploreReport {
    const seconds = (Date.now() - this.#started) / 1000;
    return { scenarios: this.#reports, seconds, workers: this.#options.workers };
  }

  async deepen(): Promise<void> {
    const { budget: largest, seconds, walkShare = 0.2 } = this.#options;
    const end = this.#started + seconds * 1000 * (1 - walkShare);
    let open = [...this.#reports];
    for (let budget = largest === Number.POSITIVE_INFINITY ? largest : 0; budget <= largest; budget++) {
      const round = open;
      for (const [at, report] of round.entries()) {
        const now = Date.now();
        if (now >= end || this.#stopped()) return;
        const deadline = now + (end - now) / (round.length - at);
        const complete = await this.#depthFirst(report, budget, deadline);
        if (!complete) open = open.filter((other) => other !== report);
        else report.completedBudget = budget;
        if (report.exhausted) open = open.filter((other) => other !== report);
      }
      if (open.length === 0 || budget === Number.POSITIVE_INFINITY) return;
    }
  }

  /** @returns whether every schedule of this cost was explored */
  async #depthFirst(report: ScenarioReport, budget: number, deadline: number): Promise<boolean> {
    this.#doing = { scenario: report.name, budget };
    this.#visited.clear();
    const queue: Job[] = [{ prefix: [], spent: 0, budget }];
    let complete = true;
    let unbounded = true;
    let schedules = 0;
    let pruned = 0;
    await this.#share(report, deadline, queue, (done) => {
      complete &&= done.complete;
      unbounded &&= done.unbounded;
      schedules += done.schedules;
      pruned += done.pruned;
    });
    // A larger budget repeats the smaller one: what is counted is the larger of the two, not the sum.
    if (schedules + pruned > report.schedules + report.pruned) Object.assign(report, { schedules, pruned });
    report.states = Math.max(report.states, this.#visited.size);
    report.full ||= this.#visited.full;
    report.exhausted = complete && unbounded;
    return complete;
  }

  /** All lanes take jobs from the queue, to which they also give, until it is empty and none of them works. */
  async #share(report: ScenarioReport, deadline: number, queue: Job[], merge: (done: Done) => void): Promise<void> {
    let working = 0;
    let wake = Promise.withResolvers<void>();
    const changed = (): void => {
      wake.resolve();
      wake = Promise.withResolvers();
    };
    const donate = (jobs: readonly Job[]): void => {
      queue.push(...jobs);
      changed();
    };
    const lane = async (it: Lane): Promise<void> => {
      for (;;) {
        const job = queue.shift();
        if (job) {
          working++;
          const done = await it.run(this.#order(report, { job }, deadline), donate);
          working--;
          this.#merge(report, done);
          merge(done);
          changed();
        } else if (working === 0) {
          return;
        } else {
          Atomics.add(this.#control, HUNGRY, 1);
          await wake.promise;
          Atomics.sub(this.#control, HUNGRY, 1);
        }
      }
    };
    await Promise.all(this.#lanes.map(lane));
  }

  /** Beyond what was explored exhaustively, in the time that is left. */
  async walk(): Promise<void> {
    const { seconds, walkBudget = 8, walkShare = 0.2, seed = 1 } = this.#options;
    const end = this.#started + seconds * 1000;
    const open = walkShare > 0 ? this.#reports.filter(({ exhausted }) => !exhausted) : [];
    for (const [at, report] of open.entries()) {
      const now = Date.now();
      const deadline = now + (end - now) / (open.length - at);
      const budgetMax = (report.completedBudget ?? 0) + walkBudget;
      this.#doing = { scenario: report.name, budget: 'walks' };
      let next = seed;
      const lane = async (it: Lane): Promise<void> => {
        while (Date.now() < deadline && !this.#stopped()) {
          const walks = { seed: next, budgetMax, count: WALKS_AT_ONCE };
          next += WALKS_AT_ONCE;
          const done = await it.run(this.#order(report, { walks }, deadline), () => {});
          report.walkBudget = budgetMax;
          report.walks += done.schedules;
          this.#merge(report, done);
        }
      };
      await Promise.all(this.#lanes.map(lane));
    }
  }

  #order(report: ScenarioReport, work: Order['work'], deadline: number): Order {
    const { prune = true, stopAtFirst = false, selfCheckEvery = 1_000 } = this.#options;
    const knownFailures = report.findings.map(({ failure }) => signatureOf(failure));
    return { scenario: report.name, work, deadline, knownFailures, settings: { prune, stopAtFirst, selfCheckEvery } };
  }

  #merge(report: ScenarioReport, done: Done): void {
    report.runs += done.schedules + done.pruned;
    report.steps += done.steps;
    report.deepest = Math.max(report.deepest, done.deepest);
    report.failures += done.failures;
    for (const finding of done.findings) {
      const signature = signatureOf(finding.failure);
      const at = report.findings.findIndex(({ failure }) => signatureOf(failure) === signature);
      const known = report.findings[at];
      if (!known) report.findings.push(finding);
      else if (finding.cost < known.cost) report.findings[at] = finding;
    }
  }

  #stopped(): boolean {
    return Atomics.load(this.#control, STOPPED) === 1;
  }

  #tell(): void {
    this.#options.onProgress?.({
      ...this.#doing,
      seconds: (Date.now() - this.#started) / 1000,
      runs: Atomics.load(this.#control, RUNS),
      steps: Atomics.load(this.#control, STEPS),
      states: this.#visited.size,
    });
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
    walks: 0,
    walkBudget: 0,
    failures: 0,
    findings: [],
  };
}
