import { setTimeout as sleep } from 'node:timers/promises';
import { type Choice, MissingChoice, pick, waiting } from './choices.ts';
import { Execution, type TaskState, textOf } from './execution.ts';
import { finished, Hash } from './hash.ts';
import type { Failure, FailureKind, Scenario } from './types.ts';

export interface Chooser {
  /** Steps repeated from an earlier run, whose states have been checked. */
  readonly known: number;
  /** The choice for the state after `step` steps, or STOP to end the run there. */
  choose(run: Execution, step: number): Choice;
}

export const STOP = -1;

export interface RunResult {
  readonly steps: number;
  readonly failure: Failure | null;
}

export const STEPS_MAX = 500;

export async function runOnce(scenario: Scenario, chooser: Chooser): Promise<RunResult> {
  if (current !== null) throw new Error('One run at a time in a thread.');
  const run = new Execution();
  const maxSteps = scenario.maxSteps ?? STEPS_MAX;
  let step = 0;
  current = run;
  try {
    run.begin((it) => scenario.createWorld(it));
    await run.drain();
    for (; ; step++) {
      if (step >= chooser.known) invariant(run, run.world.check());
      if (run.failure !== null) break;
      if (step >= maxSteps) {
        run.fail('step bound', `not at rest after ${maxSteps} steps`);
        break;
      }
      const choice = chooser.choose(run, step);
      if (choice === STOP) break;
      if (!pick(run, choice)) {
        await rest(run);
        break;
      }
      await run.drain();
    }
  } catch (error) {
    run.fail(error instanceof MissingChoice ? 'not deterministic' : 'exception', textOf(error));
  }
  current = null;
  return { steps: step, failure: run.failure };
}

async function rest(run: Execution): Promise<void> {
  const stuck = waiting(run);
  if (!stuck) return invariant(run, run.world.atRest?.() ?? null);
  const before = activityOf(stuck);
  await sleep(GRACE_MS);
  if (activityOf(stuck) === before) {
    run.fail('deadlock', `${stuck.name} waits for something that never comes${pendingOf(stuck.pending)}`);
  } else {
    run.fail('not deterministic', `${stuck.name} does real asynchronous work that the run does not know: see Run.busy`);
  }
}

/** Time for an apparent deadlock to turn out to be real I/O, a real timer or a thread. */
const GRACE_MS = 10;

function activityOf({ finished, pending, timers, lo }: TaskState): string {
  return [finished, pending.length, timers.length, lo].join();
}

function pendingOf(pending: readonly { readonly key: string }[]): string {
  return pending.length === 0 ? '' : ` (blocked: ${pending.map(({ key }) => key).join(', ')})`;
}

function invariant(run: Execution, broken: string | null): void {
  if (broken !== null) run.fail('invariant', broken);
}

/** Two failures with the same one are the same defect, as far as the explorer can see. */
export function signatureOf({ kind, message }: Failure): string {
  const end = kind === 'invariant' ? message.indexOf(': ') : message.indexOf('\n');
  return `${kind satisfies FailureKind} ${end < 0 ? message : message.slice(0, end)}`;
}

/**
 * The state's hash: the world, the time, each live task's history and what it waits for, the memory of processes.
 * With a bounded budget also whose turn it is, because that decides what the default is and so what the future costs.
 */
export function stateHash(run: Execution, bounded: boolean): readonly [number, number] {
  const hash = scratch.reset();
  const world = run.world.fingerprint();
  if (typeof world === 'string') hash.text(world);
  else hash.word(world[0]).word(world[1]);
  hash.number(run.now());
  for (const task of run.live) {
    hash.name(task.name).word(task.lo).word(task.hi);
    hash.word(task.pending.length * 4 + (task.finished ? 2 : 0) + (task.daemon ? 1 : 0));
    for (const pending of task.pending) hash.name(pending.key);
    for (const timer of task.timers) hash.name(timer.key).number(timer.due);
  }
  for (const process of run.processes) {
    if (process.alive) hash.name(process.name).word(process.lo).word(process.hi);
  }
  if (bounded) hash.word(run.live.length === 0 ? 0 : run.cursor % run.live.length);
  return finished(hash);
}

const scratch = new Hash();

let current: Execution | null = null;

/**
 * Turns unhandled rejections into failures of the run in which they happen, until disposed of. Without it they
 * end the process, as Node does.
 */
export function watchUnhandledRejections(): Disposable {
  const note = (reason: unknown): void => {
    if (current === null) throw reason;
    current.fail('unhandled rejection', textOf(reason));
  };
  process.on('unhandledRejection', note);
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', note) };
}
