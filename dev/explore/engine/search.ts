import { type Choice, type Choices, enumerate } from './choices.ts';
import type { Execution } from './execution.ts';
import { type Chooser, type RunResult, runOnce, STOP, signatureOf, stateHash } from './run.ts';
import type { Failure, Scenario } from './types.ts';
import type { Visited } from './visited.ts';

export interface Hooks {
  stopped(): boolean;
  ran?(failed: boolean): void;
}

export interface Found {
  readonly failure: Failure;
  readonly path: readonly Choice[];
}

export class Tally {
  /** Runs that went to their end, or to a failure. */
  schedules = 0;
  /** Runs that were cut in a state explored before. */
  pruned = 0;
  steps = 0;
  deepest = 0;
  failures = 0;
  /** Everything was explored that this budget allows. */
  complete = true;
  /** No choice was left out for its cost. */
  unbounded = true;
  readonly found = new Map<string, Found>();

  add({ steps, failure }: RunResult, cut: boolean, path: readonly Choice[]): void {
    this.steps += steps;
    if (steps > this.deepest) this.deepest = steps;
    if (cut && failure === null) this.pruned++;
    else this.schedules++;
    if (failure === null) return;
    this.failures++;
    const signature = signatureOf(failure);
    if (this.found.size < SIGNATURES_MAX && !this.found.has(signature)) {
      this.found.set(signature, { failure, path: path.slice(0, steps) });
    }
  }
}

const SIGNATURES_MAX = 20;

interface Frame {
  readonly picks: Choice[];
  readonly costs: number[];
  readonly spent: number;
  readonly lo: number;
  at: number;
}

/** Goes depth-first over all schedules, by repeating the run up to the last state that has a choice left. */
class DepthFirst implements Chooser {
  readonly #budget: number;
  readonly #visited: Visited | null;
  readonly #tally: Tally;
  readonly #bounded: boolean;
  readonly #frames: Frame[] = [];
  readonly #choices: Choices = { picks: [], costs: [] };
  known = 0;
  cut = false;

  constructor(budget: number, visited: Visited | null, tally: Tally) {
    this.#budget = budget;
    this.#visited = visited;
    this.#tally = tally;
    this.#bounded = budget !== Number.POSITIVE_INFINITY;
  }

  choose(run: Execution, step: number): Choice {
    const frame = this.#frames[step];
    if (frame === undefined) return this.#open(run);
    if (step === this.#frames.length - 1 && stateHash(run, this.#bounded)[0] !== frame.lo) {
      run.fail('not deterministic', 'the same picks led to another state');
      return STOP;
    }
    return frame.picks[frame.at] as Choice;
  }

  #open(run: Execution): Choice {
    const last = this.#frames.at(-1);
    const spent = last ? last.spent + (last.costs[last.at] as number) : 0;
    const left = this.#budget - spent;
    const [lo, hi] = stateHash(run, this.#bounded);
    if (this.#visited && !this.#visited.enter(lo, hi, left)) {
      this.cut = true;
      return STOP;
    }
    enumerate(run, this.#choices);
    const frame: Frame = { picks: [], costs: [], spent, lo, at: 0 };
    const { picks, costs } = this.#choices;
    for (let at = 0; at < picks.length; at++) {
      const cost = costs[at] as number;
      if (cost > left) {
        this.#tally.unbounded = false;
        continue;
      }
      frame.picks.push(picks[at] as Choice);
      frame.costs.push(cost);
    }
    this.#frames.push(frame);
    return frame.picks[0] as Choice;
  }

  path(): Choice[] {
    return this.#frames.map(({ picks, at }) => picks[at] as Choice);
  }

  /** To the next schedule. @returns false if there is none */
  advance(): boolean {
    this.cut = false;
    for (let last = this.#frames.at(-1); last; last = this.#frames.at(-1)) {
      if (++last.at < last.picks.length) {
        this.known = this.#frames.length;
        return true;
      }
      this.#frames.pop();
    }
    return false;
  }
}

/**
 * Explores every schedule within the budget, or until it is stopped (its tally then is not complete).
 *
 * @param visited null: without pruning
 */
export async function depthFirst(
  scenario: Scenario,
  budget: number,
  visited: Visited | null,
  hooks: Hooks,
): Promise<Tally> {
  const tally = new Tally();
  const search = new DepthFirst(budget, visited, tally);
  for (;;) {
    const result = await runOnce(scenario, search);
    tally.add(result, search.cut, result.failure === null ? [] : search.path());
    hooks.ran?.(result.failure !== null);
    if (!search.advance()) return tally;
    if (hooks.stopped() || tally.found.size >= SIGNATURES_MAX) {
      tally.complete = false;
      return tally;
    }
  }
}
