import { Hash } from './hash.ts';
import { turn } from './turn.ts';
import type { Failure, Operation, Outcome, Process, ProcessOptions, Run, StartOptions, Task, World } from './types.ts';

/** An operation that waits to be picked. Its promise's functions take what `Outcome.apply` returned or threw. */
export interface Pending {
  /** Unique among the task's pending operations: the name, with `~2` appended for a second one of that name. */
  readonly key: string;
  readonly outcomes: readonly Outcome<unknown>[] | (() => readonly Outcome<unknown>[]);
  digest(result: unknown): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  release(): void;
}

export interface Timer {
  readonly key: string;
  readonly due: number;
  fire(): void;
}

export class ProcessState implements Process {
  readonly name: string;
  readonly options: ProcessOptions;
  alive = true;
  /** Hash of the order of all its steps: what its memory may depend on. */
  lo = 1;
  hi = 1;

  constructor(name: string, options: ProcessOptions) {
    this.name = name;
    this.options = options;
  }
}

export class TaskState implements Task {
  readonly name: string;
  readonly process: ProcessState;
  readonly daemon: boolean;
  finished = false;
  listed = false;
  pending: Pending[] = [];
  timers: Timer[] = [];
  /** Hash of its history: operations and their results. */
  lo = 1;
  hi: number;

  /** @param time at which it starts: it may read the clock */
  constructor(process: ProcessState, name: string, daemon: boolean, time: number) {
    this.hi = time | 0;
    this.process = process;
    this.name = name;
    this.daemon = daemon;
  }
}

const scratch = new Hash();

/** The state of one run, and its interface for worlds. `choices.ts` lists the possible choices, and picks one. */
export class Execution implements Run {
  /** Tasks that can still do something, in order of starting. */
  readonly live: TaskState[] = [];
  readonly processes: ProcessState[] = [];
  /** Index in `live` of the task that moved last; its turn comes first. */
  cursor = 0;
  failure: Failure | null = null;
  #world: World | null = null;
  #time = 0;
  readonly #taskNames = new Set<string>();
  readonly #busy = new Set<Promise<unknown>>();
  #swept = true;

  get world(): World {
    if (this.#world === null) throw new Error('The world is not created yet.');
    return this.#world;
  }

  begin(createWorld: (run: Run) => World): void {
    this.#world = createWorld(this);
  }

  now(): number {
    return this.#time;
  }

  advanceTo(ms: number): void {
    if (ms > this.#time) this.#time = ms;
  }

  process(name: string, options: ProcessOptions = {}): Process {
    if (this.processes.some((other) => other.alive && other.name === name)) {
      throw new Error(`A process ${name} already exists.`);
    }
    const process = new ProcessState(name, options);
    this.processes.push(process);
    return process;
  }

  start(process: Process, name: string, body: (task: Task) => Promise<unknown>, options: StartOptions = {}): Task {
    if (!(process instanceof ProcessState) || !process.alive) throw new Error(`Process ${process.name} is not alive.`);
    if (this.#taskNames.has(name)) throw new Error(`A task ${name} already existed.`);
    this.#taskNames.add(name);
    this.#swept = false;
    const task = new TaskState(process, name, options.daemon === true, this.#time);
    this.#list(task);
    const end = (): void => {
      task.finished = true;
      this.#swept = false;
    };
    (async () => body(task))().then(end, (error: unknown) => {
      end();
      if (process.alive) this.fail('rejection', `${name}: ${textOf(error)}`);
    });
    return task;
  }

  operation<T>(operation: Operation<T>): Promise<T> {
    const task = own(operation.task);
    const { signal } = operation;
    const key = uniqueKey(task.pending, operation.name);
    if (!task.process.alive) return new Promise(() => {});
    if (signal?.aborted) return this.#aborted(task, key, signal);
    this.#list(task);
    return new Promise<T>((resolve, reject) => {
      const abort = (): void => {
        if (!remove(task.pending, pending)) return;
        this.note(task, key, 'aborted', undefined);
        this.#swept = false;
        reject(signal?.reason);
      };
      const pending: Pending = {
        key,
        outcomes: operation.outcomes,
        // The type of results comes from `outcomes`.
        digest: (result) => (operation.digest ? operation.digest(result as T) : result),
        resolve: (result) => resolve(result as T),
        reject,
        release: () => signal?.removeEventListener('abort', abort),
      };
      task.pending.push(pending);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  sleep(from: Task, ms: number, signal?: AbortSignal): Promise<void> {
    const task = own(from);
    const key = uniqueKey(task.timers, `wakes after ${ms} ms`);
    if (!task.process.alive) return new Promise(() => {});
    if (signal?.aborted) return this.#aborted(task, key, signal);
    this.#list(task);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        if (!remove(task.timers, timer)) return;
        this.note(task, key, 'aborted', undefined);
        this.#swept = false;
        reject(signal?.reason);
      };
      const fire = (): void => {
        remove(task.timers, timer);
        signal?.removeEventListener('abort', abort);
        this.advanceTo(timer.due);
        this.note(task, key, 'woke', undefined);
        this.#swept = false;
        resolve();
      };
      const timer: Timer = { key, due: this.#time + Math.max(0, ms), fire };
      task.timers.push(timer);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  kill(process: Process): void {
    if (!(process instanceof ProcessState) || !process.alive) return;
    process.alive = false;
    for (let at = this.live.length - 1; at >= 0; at--) {
      const task = this.live[at];
      if (task?.process !== process) continue;
      for (const pending of task.pending) pending.release();
      task.pending = [];
      task.timers = [];
      this.#unlist(at);
    }
    this.world.crashed?.(process);
  }

  busy<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work);
    const done = (): void => void this.#busy.delete(work);
    work.then(done, done);
    return work;
  }

  forget(from: Task): void {
    const task = own(from);
    task.lo = 1;
    task.hi = 1;
  }

  /** The first failure counts. */
  fail(kind: Failure['kind'], message: string): void {
    this.failure ??= { kind, message };
  }

  /** Adds a task's new knowledge to its history, and to that of its process's memory. */
  note(task: TaskState, key: string, outcome: string, result: unknown): void {
    // Includes the time, which the code may have read.
    scratch.reset(task.lo, task.hi).name(key).name(outcome).number(this.#time);
    if (result !== undefined) scratch.value(result);
    task.lo = scratch.lo;
    task.hi = scratch.hi;
    if (task.process.options.memory === 'separate') return;
    scratch.reset(task.process.lo, task.process.hi).name(task.name).word(task.lo).word(task.hi);
    task.process.lo = scratch.lo;
    task.process.hi = scratch.hi;
  }

  /** Takes an operation out of the pending ones, to be answered. */
  take(task: TaskState, pending: Pending): void {
    remove(task.pending, pending);
    pending.release();
    this.#swept = false;
  }

  /**
   * Lets real code run until all of it waits for the explorer: a turn of the event loop ends when no microtask is left.
   * A whole turn, because only then Node reports unhandled rejections.
   */
  async drain(): Promise<void> {
    await turn();
    while (this.#busy.size > 0) {
      await Promise.allSettled(this.#busy);
      await turn();
    }
    if (!this.#swept) this.#sweep();
  }

  #sweep(): void {
    this.#swept = true;
    for (let at = this.live.length - 1; at >= 0; at--) {
      const task = this.live[at];
      if (task?.finished && task.pending.length === 0 && task.timers.length === 0) this.#unlist(at);
    }
  }

  #list(task: TaskState): void {
    if (task.listed) return;
    task.listed = true;
    this.live.push(task);
  }

  #unlist(at: number): void {
    const [task] = this.live.splice(at, 1);
    if (task) task.listed = false;
    if (at < this.cursor) this.cursor--;
  }

  #aborted(task: TaskState, key: string, signal: AbortSignal): Promise<never> {
    this.note(task, key, 'aborted', undefined);
    return Promise.reject(signal.reason);
  }
}

function own(task: Task): TaskState {
  if (task instanceof TaskState) return task;
  throw new Error(`Task ${task.name} was not started by this explorer.`);
}

function uniqueKey(siblings: readonly { readonly key: string }[], name: string): string {
  let key = name;
  for (let copy = 2; siblings.some((other) => other.key === key); copy++) key = `${name}~${copy}`;
  return key;
}

function remove<T>(list: T[], item: T): boolean {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}

/** An error as text for a failure's message: with its stack, which only failures pay for. */
export function textOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) {
    const stack = 'stack' in error ? String(error.stack) : '';
    return stack.includes(String(error.message)) ? stack : `${String(error.message)}\n${stack}`;
  }
  return String(error);
}
