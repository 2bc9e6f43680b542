/**
 * The vocabulary of the explorer, and its interface to a world.
 *
 * A *run* is one *schedule*: real async code runs as *tasks* of *processes*, and everything it wants from outside is an
 * *operation* that stays pending until the explorer picks it, together with one of its *outcomes*. One pick is a *step*.
 * The *default* pick costs nothing; every other one is a *deviation* and costs. The allowed cost of a run is its *budget*.
 *
 * The default: the oldest operation of the task that moved last; else that of the next task in order of starting,
 * round robin; else the first `idle` environment action; else the earliest timer. It is a function of the state, so that
 * states which are pruned as equal have equal futures at equal cost.
 */

/** A process of the simulated system: its tasks share memory and die together. Made by `run.process`. */
export interface Process {
  readonly name: string;
  readonly alive: boolean;
}

/** One piece of real async code in a process. Created by `run.start`; ports get it as the caller's identity. */
export interface Task {
  readonly name: string;
  readonly process: Process;
  /** Its body has returned. Work that it left in the background may still have operations pending. */
  readonly finished: boolean;
}

export interface Outcome<T> {
  /** Stable and unique among the outcomes of this operation; printed in stories, written into tokens. */
  readonly label: string;
  /** 0 for the first outcome (the ordinary one), at least 1 (whole) for a deviation. */
  readonly cost: number;
  /** Changes the simulated world at once and returns what the caller gets; what it throws, the caller gets thrown. */
  apply(): T;
}

export interface Operation<T> {
  readonly task: Task;
  /** Stable name, for example `facilitator.settle payer-A#1`. */
  readonly name: string;
  /**
   * The possible outcomes. A function is called again at every step (it must be pure and cheap), because they
   * depend on the current state; an empty list means "blocked now", for example behind a lock.
   */
  readonly outcomes: readonly Outcome<T>[] | (() => readonly Outcome<T>[]);
  /**
   * When it aborts first, the operation is dropped unexecuted and rejects with the signal's reason. A signal that
   * nothing pending listens to must be in the world's fingerprint.
   */
  readonly signal?: AbortSignal;
  /**
   * The knowledge that the caller gains from a result, for the hash of its history. Without it the result is hashed by structure
   * (primitives, bigint, plain objects, arrays, Map, Set, Date, bytes, errors by name, code and message).
   */
  digest?(result: T): string | number;
}

/** Something that happens without any task: a block is mined, a transaction dropped, a payer tries again. */
export interface EnvironmentAction {
  /** Stable and unique among the actions that are enabled with it. */
  readonly label: string;
  /** Cost (whole, >= 0) of doing it now. 0 is a free branch: it is explored at every step at which it is offered. */
  readonly cost: number;
  /**
   * It is what happens by itself once no operation can be executed: the first such action is then the default and
   * free. It goes before timers.
   */
  readonly idle?: boolean;
  apply(): void;
}

export interface ProcessOptions {
  /**
   * Offer crashes of this process at this cost (>= 1): between any two steps ("crash api-1"), and after each of its
   * pending operations was executed with its first outcome, before the answer arrives ("… → executed, then crash").
   * Without it the process crashes only by `run.kill`.
   */
  readonly crashCost?: number;
  /**
   * `shared` (default): tasks of the process may talk to each other through memory (caches, single flights, limiters),
   * so the order of all their steps is part of the state. `separate`: they don't, or `fingerprint()` covers it; states
   * that differ in the order only are one.
   */
  readonly memory?: 'shared' | 'separate';
}

export interface StartOptions {
  /** It never ends by itself (an observer): its timers alone don't keep the run going. See `World.settled`. */
  readonly daemon?: boolean;
}

/** The explorer's interface for worlds. Everything is synchronous except the promises that tasks wait for. */
export interface Run {
  /** A new process. The name of one that was killed may be used again: that is its restart. */
  process(name: string, options?: ProcessOptions): Process;
  /**
   * Starts real code as a task. The name is unique in the run. The body starts at once, up to its first operation.
   * If it rejects, the run fails ("rejection"): bodies catch what they expect.
   */
  start(process: Process, name: string, body: (task: Task) => Promise<unknown>, options?: StartOptions): Task;
  /** Stays pending until it is picked. Never settles if its process has been killed. */
  operation<T>(operation: Operation<T>): Promise<T>;
  /** Resolves when its timer is picked (time then is at least start + `ms`); rejects with the signal's reason. */
  sleep(task: Task, ms: number, signal?: AbortSignal): Promise<void>;
  /** Simulated time, ms since the start of the run (starts at 0). */
  now(): number;
  /** Lets time pass, from `apply` of an action or outcome. Timers that it makes due still wait to be picked. */
  advanceTo(ms: number): void;
  /** The process stops here: none of its tasks ever resumes, and what they had pending is dropped unexecuted. */
  kill(process: Process): void;
  /**
   * Resets the task's history, for example at the head of an observer's loop, so that states recur from one round to
   * the next. It has no effect in a process with `shared` memory.
   */
  forget(task: Task): void;
  /**
   * Real asynchronous work that microtasks alone don't finish (WebCrypto, a dynamic import): the next step waits for
   * it. Its result must not depend on time or chance. Prefer to do such work in `Scenario.prepare`.
   */
  busy<T>(work: Promise<T>): Promise<T>;
}

export interface World {
  /**
   * All of the simulated world's state that can matter later, order-normalised if order doesn't matter: a string, or
   * a 64-bit hash as two 32-bit halves. The explorer adds the time, what each live task has seen and what is pending.
   * So everything that an invariant remembers belongs in here (such as the answers of each caller), and so do the results
   * of finished tasks, if they matter: of two runs with equal fingerprints only one is explored further.
   */
  fingerprint(): string | readonly [number, number];
  /** Asked at every step; the order is stable. Must not change anything. */
  enabledActions?(): readonly EnvironmentAction[];
  /** An invariant that does not hold in this state, as `name: details`, or null. Asked after every step. */
  check(): string | null;
  /** The same, once nothing can happen any more (quiescence). */
  atRest?(): string | null;
  /** Returns true if the run may end while only daemons' timers are left (default). Otherwise, time continues. */
  settled?(): boolean;
  /** A process has crashed (by choice or by `kill`): connections close, locks go. A restart is the world's action. */
  crashed?(process: Process): void;
  /** The state in a few lines, for people, printed below the story of a failure. */
  describe?(): string;
}

export interface Scenario {
  /** Unique, stable: tokens name it. */
  readonly name: string;
  readonly description?: string;
  /** Once per thread before its first run: imports, signatures, whatever takes real time. */
  prepare?(): Promise<void>;
  /** The world of one run, with its first tasks started. Deterministic: no clock, no randomness, no real I/O. */
  createWorld(run: Run): World;
  /** A run of more steps is a failure ("step bound"). Default 500. */
  readonly maxSteps?: number;
}

export type FailureKind =
  | 'invariant' // check() or atRest() failed
  | 'rejection' // a task rejected
  | 'unhandled rejection' // an unheld promise rejected: would end a real process
  | 'step bound' // too many steps
  | 'deadlock' // nothing is enabled, and a task that isn't a daemon has not finished
  | 'exception' // the world itself threw
  | 'not deterministic'; // the same picks led to another run

export interface Failure {
  readonly kind: FailureKind;
  /** For an invariant `name: details`; two failures are the same if kind and name are. */
  readonly message: string;
}

/**
 * A schedule as its deviations: a number of defaults, then the pick with this label, and so on; after the last one,
 * defaults to the end.
 */
export type Schedule = readonly (readonly [defaults: number, label: string])[];

/** A failure with the shortest schedule that was found for it. */
export interface Finding {
  readonly scenario: string;
  readonly failure: Failure;
  readonly schedule: Schedule;
  readonly cost: number;
  readonly steps: number;
  readonly token: string;
  readonly story: string;
}
