import { type Choice, type Choices, enumerate, labelOf, MissingChoice } from './choices.ts';
import type { Execution } from './execution.ts';
import { type Chooser, type RunResult, runOnce, signatureOf, stateHash, watchUnhandledRejections } from './run.ts';
import type { Failure, Scenario, Schedule } from './types.ts';

export interface TracedStep {
  readonly label: string;
  /** It was a deviation: something else was the default. */
  readonly deviation: boolean;
  readonly cost: number;
  /** Simulated time before the step, ms. */
  readonly time: number;
}

/** A run with the labels of its steps: for stories and tokens. Slower than a run of the search. */
export interface Trace {
  readonly steps: readonly TracedStep[];
  readonly failure: Failure | null;
  readonly world: string;
}

export class ScheduleMisfit extends Error {
  override name = 'ScheduleMisfit';
}

type Decide = (run: Execution, choices: Choices, step: number) => number;

class Tracer implements Chooser {
  readonly known = 0;
  readonly steps: TracedStep[] = [];
  run: Execution | null = null;
  misfit: ScheduleMisfit | null = null;
  readonly #decide: Decide;
  readonly #choices: Choices = { picks: [], costs: [] };

  constructor(decide: Decide) {
    this.#decide = decide;
  }

  choose(run: Execution, step: number): Choice {
    this.run = run;
    // As in the search: a world that cannot be hashed is a failure.
    stateHash(run, true);
    enumerate(run, this.#choices);
    try {
      const at = this.#decide(run, this.#choices, step);
      const choice = this.#choices.picks[at];
      const cost = this.#choices.costs[at];
      if (choice === undefined || cost === undefined) throw new MissingChoice('The same picks led to another state.');
      this.steps.push({ label: labelOf(run, choice), deviation: at !== 0, cost, time: run.now() });
      return choice;
    } catch (error) {
      if (error instanceof ScheduleMisfit) this.misfit = error;
      throw error;
    }
  }
}

async function trace(scenario: Scenario, decide: Decide): Promise<Trace> {
  const tracer = new Tracer(decide);
  const { failure }: RunResult = await runOnce(scenario, tracer);
  if (tracer.misfit) throw tracer.misfit;
  return { steps: tracer.steps, failure, world: describe(tracer.run) };
}

function describe(run: Execution | null): string {
  try {
    return run?.world.describe?.() ?? '';
  } catch (error) {
    return `(the world cannot describe itself: ${String(error)})`;
  }
}

/** The run of these choices, then of defaults. */
export function traceOf(scenario: Scenario, path: readonly Choice[]): Promise<Trace> {
  return trace(scenario, (_run, { picks }, step) => {
    const choice = path[step];
    return choice === undefined ? 0 : picks.indexOf(choice);
  });
}

/** The run of this schedule. Throws ScheduleMisfit if a deviation cannot be picked at its step. */
function follow(scenario: Scenario, schedule: Schedule): Promise<Trace> {
  let next = 0;
  let defaults = schedule[0]?.[0] ?? 0;
  return trace(scenario, (run, { picks }, step) => {
    const label = schedule[next]?.[1];
    if (label === undefined) return 0;
    if (defaults > 0 && labelOf(run, picks[0] as Choice) !== 'at rest') {
      defaults--;
      return 0;
    }
    const at = defaults > 0 ? -1 : picks.findIndex((choice) => labelOf(run, choice) === label);
    if (at < 0) throw misfit(run, picks, step, label);
    next++;
    defaults = schedule[next]?.[0] ?? 0;
    return at;
  });
}

function misfit(run: Execution, picks: readonly Choice[], step: number, label: string): ScheduleMisfit {
  const possible = picks.map((choice) => `  ${labelOf(run, choice)}`).join('\n');
  return new ScheduleMisfit(
    `The schedule does not fit any more: at step ${step + 1} it wants\n  ${label}\nbut possible there is\n${possible}`,
  );
}

export function scheduleOf({ steps }: Trace): Schedule {
  const schedule: [number, string][] = [];
  let defaults = 0;
  for (const { deviation, label } of steps) {
    if (deviation) {
      schedule.push([defaults, label]);
      defaults = 0;
    } else defaults++;
  }
  return schedule;
}

export function costOf({ steps }: Trace): number {
  return steps.reduce((sum, { cost }) => sum + cost, 0);
}

interface Token {
  readonly scenario: string;
  readonly schedule: Schedule;
  readonly failure: string;
}

/** Compact JSON text; `replay` reads it. */
export function tokenOf(scenario: string, schedule: Schedule, failure: Failure): string {
  return JSON.stringify({ scenario, schedule, failure: signatureOf(failure) } satisfies Token);
}

export interface Replayed extends Trace {
  /** True if it ends in the failure that it was kept for. */
  readonly sameFailure: boolean;
}

export async function replay(token: string, scenarios: readonly Scenario[]): Promise<Replayed> {
  const { scenario: name, schedule, failure } = readToken(token);
  const scenario = scenarios.find((candidate) => candidate.name === name);
  if (!scenario) throw new Error(`The token is of scenario ${name}, which is none of ${names(scenarios)}.`);
  await scenario.prepare?.();
  using _watch = watchUnhandledRejections();
  const traced = await follow(scenario, schedule);
  return { ...traced, sameFailure: traced.failure !== null && signatureOf(traced.failure) === failure };
}

function names(scenarios: readonly Scenario[]): string {
  return scenarios.map(({ name }) => name).join(', ') || 'none';
}

function readToken(text: string): Token {
  const token: unknown = JSON.parse(text);
  if (typeof token === 'object' && token !== null && 'scenario' in token && 'schedule' in token && 'failure' in token) {
    const { scenario, schedule, failure } = token;
    if (typeof scenario === 'string' && typeof failure === 'string' && isSchedule(schedule)) {
      return { scenario, schedule, failure };
    }
  }
  throw new Error(`Not a token of the explorer: ${text.slice(0, 200)}`);
}

function isSchedule(value: unknown): value is Schedule {
  const isEntry = (entry: unknown): boolean =>
    Array.isArray(entry) && entry.length === 2 && Number.isSafeInteger(entry[0]) && typeof entry[1] === 'string';
  return Array.isArray(value) && value.every(isEntry);
}

/** One line per step, `>` before deviations, the clock where it has moved; then the failure and the world's state. */
export function storyOf({ steps, world }: Trace, failure: Failure | null): string {
  let clock = 0;
  const lines = steps.map(({ label, deviation, time }, at) => {
    const moved = time === clock ? '' : `  [${time} ms]`;
    clock = time;
    return `${String(at + 1).padStart(4)} ${deviation ? '>' : ' '} ${label}${moved}`;
  });
  lines.push(failure === null ? '     = no failure' : `     = ${failure.kind}: ${failure.message}`);
  if (world !== '') lines.push(...world.split('\n').map((line) => `       ${line}`));
  return lines.join('\n');
}
