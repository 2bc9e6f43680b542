import type { Execution, Pending, TaskState } from './execution.ts';
import type { EnvironmentAction, Outcome } from './types.ts';

/**
 * A choice is one number, so that a schedule that is explored again needs no lookup of labels: its kind, and its
 * positions in the lists of this state (task, operation or timer, outcome). Labels are for people and for tokens.
 */
export type Choice = number;

const OUTCOME = 0; // an operation has this outcome
const EXECUTED_THEN_CRASH = 1; // an operation is executed, its process crashes before the answer
const TIMER = 2;
const ACTION = 3;
const CRASH = 4;
const REST = 5; // the run ends
const KINDS = 8;
const LIST_MAX = 256;

/** Returns the possible choices in a state, the default first. `costs` runs along. Never empty. */
export interface Choices {
  readonly picks: Choice[];
  readonly costs: number[];
}

export function enumerate(run: Execution, into: Choices): void {
  const { picks, costs } = into;
  picks.length = 0;
  costs.length = 0;
  addOperations(run, into);
  const busy = picks.length > 0;
  const idle = addActions(run, into);
  let ordinary = busy ? 0 : idle;
  const earliest = addTimers(run, into);
  if (ordinary < 0) ordinary = mayRest(run) ? -1 : earliest;
  if (ordinary < 0) {
    ordinary = picks.push(encode(REST, 0)) - 1;
    costs.push(0);
  }
  addCrashes(run, into);
  const pick = picks[ordinary] as Choice;
  picks[ordinary] = picks[0] as Choice;
  costs[ordinary] = costs[0] as number;
  picks[0] = pick;
  costs[0] = 0;
}

function addOperations(run: Execution, into: Choices): void {
  const count = run.live.length;
  for (let turn = 0; turn < count; turn++) {
    const index = (run.cursor + turn) % count;
    const task = run.live[index] as TaskState;
    for (let at = 0; at < task.pending.length; at++) addOutcomes(task, index, at, into);
  }
}

function addOutcomes(task: TaskState, index: number, at: number, { picks, costs }: Choices): void {
  const outcomes = outcomesOf(task.pending[at] as Pending);
  if (outcomes.length === 0) return;
  const preemption = picks.length === 0 ? 0 : 1;
  for (let way = 0; way < outcomes.length; way++) {
    const { cost, label } = outcomes[way] as Outcome<unknown>;
    if (way === 0 ? cost !== 0 : !(cost >= 1 && Number.isInteger(cost))) {
      throw new Error(`Outcome ${label} of ${task.name} costs ${cost}: 0 for the first, 1 or more for others.`);
    }
    picks.push(encode(OUTCOME, index, at, way));
    costs.push(preemption + cost);
  }
  const { crashCost } = task.process.options;
  if (crashCost === undefined) return;
  picks.push(encode(EXECUTED_THEN_CRASH, index, at));
  costs.push(preemption + crashCost);
}

/** @returns the position of the first idle action, or -1 */
function addActions(run: Execution, { picks, costs }: Choices): number {
  const actions = run.world.enabledActions?.() ?? none;
  let idle = -1;
  for (let at = 0; at < actions.length; at++) {
    const action = actions[at] as EnvironmentAction;
    if (!(action.cost >= 0 && Number.isInteger(action.cost))) {
      throw new Error(`Action ${action.label} costs ${action.cost}: a whole number of 0 or more.`);
    }
    if (idle < 0 && action.idle === true) idle = picks.length;
    picks.push(encode(ACTION, at));
    costs.push(action.cost);
  }
  return idle;
}

/** @returns the position of the earliest timer, or -1 */
function addTimers(run: Execution, { picks, costs }: Choices): number {
  let earliest = -1;
  let due = Number.POSITIVE_INFINITY;
  for (let index = 0; index < run.live.length; index++) {
    const { timers } = run.live[index] as TaskState;
    for (let at = 0; at < timers.length; at++) {
      const timerDue = timers[at]?.due ?? due;
      if (timerDue < due) {
        due = timerDue;
        earliest = picks.length;
      }
      picks.push(encode(TIMER, index, at));
      costs.push(1);
    }
  }
  return earliest;
}

function addCrashes(run: Execution, { picks, costs }: Choices): void {
  for (let at = 0; at < run.processes.length; at++) {
    const process = run.processes[at];
    if (!process?.alive || process.options.crashCost === undefined) continue;
    if (!run.live.some((task) => task.process === process)) continue;
    picks.push(encode(CRASH, at));
    costs.push(process.options.crashCost);
  }
}

/** Returns true if only timers of daemons are left, and the world does not wait for their effects. */
function mayRest(run: Execution): boolean {
  return waiting(run) === undefined && run.world.settled?.() !== false;
}

/** The first task that isn't a daemon and still has work. At rest, that is a deadlock. */
export function waiting(run: Execution): TaskState | undefined {
  return run.live.find((task) => !task.daemon && (!task.finished || task.pending.length + task.timers.length > 0));
}

/** Executes the choice. @returns false if it was the end of the run. Throws if the state has no such choice. */
export function pick(run: Execution, choice: Choice): boolean {
  const [kind, index, at, way] = decode(choice);
  if (kind === REST) return false;
  if (kind === ACTION) {
    existing(run.world.enabledActions?.()[index]).apply();
    return true;
  }
  if (kind === CRASH) {
    run.kill(existing(run.processes[index]));
    return true;
  }
  const task = existing(run.live[index]);
  run.cursor = index;
  if (kind === TIMER) {
    existing(task.timers[at]).fire();
    return true;
  }
  const pending = existing(task.pending[at]);
  execute(run, task, pending, existing(outcomesOf(pending)[way]), kind === EXECUTED_THEN_CRASH);
  return true;
}

function execute(run: Execution, task: TaskState, pending: Pending, outcome: Outcome<unknown>, crash: boolean): void {
  run.take(task, pending);
  let result: unknown;
  let settle = pending.resolve;
  let learnt: unknown;
  try {
    result = outcome.apply();
    learnt = pending.digest(result);
  } catch (error) {
    result = error;
    learnt = error;
    settle = pending.reject;
  }
  if (crash) run.kill(task.process);
  if (!task.process.alive) return;
  run.note(task, pending.key, outcome.label, learnt);
  settle(result);
}

/** The label for people and tokens; unique in its state. */
export function labelOf(run: Execution, choice: Choice): string {
  const [kind, index, at, way] = decode(choice);
  if (kind === REST) return 'at rest';
  if (kind === ACTION) return `* ${existing(run.world.enabledActions?.()[index]).label}`;
  if (kind === CRASH) return `crash ${existing(run.processes[index]).name}`;
  const task = existing(run.live[index]);
  const head = `${task.process.name}  ${task.name}  `;
  if (kind === TIMER) return head + existing(task.timers[at]).key;
  const pending = existing(task.pending[at]);
  if (kind === EXECUTED_THEN_CRASH) return `${head}${pending.key} → executed, then crash`;
  return `${head}${pending.key} → ${existing(outcomesOf(pending)[way]).label}`;
}

function outcomesOf(pending: Pending): readonly Outcome<unknown>[] {
  return typeof pending.outcomes === 'function' ? pending.outcomes() : pending.outcomes;
}

function encode(kind: number, index: number, at = 0, way = 0): Choice {
  if (index >= LIST_MAX || at >= LIST_MAX || way >= LIST_MAX) throw new Error(`More than ${LIST_MAX} of one kind.`);
  return ((index * LIST_MAX + at) * LIST_MAX + way) * KINDS + kind;
}

function decode(choice: Choice): readonly [kind: number, index: number, at: number, way: number] {
  const place = choice >>> 3;
  return [choice & (KINDS - 1), place >>> 16, (place >>> 8) & (LIST_MAX - 1), place & (LIST_MAX - 1)];
}

/** The same picks led to a state that lacks this one. */
export class MissingChoice extends Error {
  override name = 'MissingChoice';
}

function existing<T>(item: T | undefined): T {
  if (item === undefined) throw new MissingChoice('The same picks led to another state.');
  return item;
}

const none: readonly EnvironmentAction[] = [];
