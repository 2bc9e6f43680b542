import { type Choice, type Choices, enumerate } from './choices.ts';
import type { Execution } from './execution.ts';
import { type Chooser, runOnce } from './run.ts';
import { type Hooks, Tally } from './search.ts';
import type { Scenario } from './types.ts';

export interface Walks {
  /** The n-th walk has seed + n: the same walks every time. */
  readonly seed: number;
  /** Each walk may cost from 1 up to this. */
  readonly budgetMax: number;
}

/** A walk at random: deviations spread over the steps that a run may be expected to have, cheap ones more often. */
class Walk implements Chooser {
  readonly known = 0;
  readonly path: Choice[] = [];
  readonly #random: () => number;
  readonly #choices: Choices = { picks: [], costs: [] };
  readonly #expectedSteps: number;
  #left: number;

  constructor(seed: number, budgetMax: number, expectedSteps: number) {
    this.#random = randomOf(seed);
    this.#left = 1 + Math.floor(this.#random() * budgetMax);
    this.#expectedSteps = expectedSteps;
  }

  choose(run: Execution, step: number): Choice {
    enumerate(run, this.#choices);
    const rate = this.#left / Math.max(this.#left + 4, this.#expectedSteps - step);
    const at = this.#draw(this.#left > 0 && this.#random() < rate);
    const choice = this.#choices.picks[at] as Choice;
    this.#left -= this.#choices.costs[at] as number;
    this.path.push(choice);
    return choice;
  }

  /** Among what costs something and can be paid, by 1/cost; or among what costs nothing. */
  #draw(deviate: boolean): number {
    const { costs } = this.#choices;
    const weight = (cost: number): number => {
      if (!deviate) return cost === 0 ? 1 : 0;
      return cost > 0 && cost <= this.#left ? 1 / cost : 0;
    };
    let rest = this.#random() * costs.reduce((sum, cost) => sum + weight(cost), 0);
    for (let at = 0; at < costs.length; at++) {
      rest -= weight(costs[at] as number);
      if (rest < 0) return at;
    }
    return 0;
  }
}

export async function walkAtRandom(scenario: Scenario, walks: Walks, hooks: Hooks): Promise<Tally> {
  const tally = new Tally();
  for (let nth = 0; !hooks.stopped(); nth++) {
    const runs = tally.schedules;
    const walk = new Walk(walks.seed + nth, walks.budgetMax, runs === 0 ? 40 : tally.steps / runs);
    const result = await runOnce(scenario, walk);
    tally.add(result, false, walk.path);
    hooks.ran?.(result.failure !== null);
  }
  return tally;
}

/** mulberry32: seeded, quick, the same everywhere. */
function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
