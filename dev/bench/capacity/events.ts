// What a simulation runs on: a clock that jumps from one event to the next, and servers with a queue before them.

interface Event {
  readonly atMs: number;
  /** Events of the same moment happen in the order in which they were planned. */
  readonly serial: number;
  readonly happen: () => void;
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.serial < other.serial);
}

/** Simulated time. Events are a binary heap, the next one first. */
export class Clock {
  nowMs = 0;
  #serial = 0;
  readonly #heap: Event[] = [];

  /** Plans something for so long after now. */
  after(ms: number, happen: () => void): void {
    this.#serial += 1;
    const event = { atMs: this.nowMs + ms, serial: this.#serial, happen };
    let at = this.#heap.length;
    for (; at > 0; ) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#heap[parentAt];
      if (parent === undefined || !isBefore(event, parent)) break;
      this.#heap[at] = parent;
      at = parentAt;
    }
    this.#heap[at] = event;
  }

  /** Lets everything happen until then, or until nothing is planned. */
  runUntil(endMs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) {
      this.#removeFirst();
      this.nowMs = next.atMs;
      next.happen();
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    let at = 0;
    for (;;) {
      const child = this.#earlierChild(at);
      if (child === undefined || isBefore(last, child.event)) break;
      this.#heap[at] = child.event;
      at = child.at;
    }
    this.#heap[at] = last;
  }

  #earlierChild(parentAt: number): { readonly at: number; readonly event: Event } | undefined {
    const at = 2 * parentAt + 1;
    const [left, right] = [this.#heap[at], this.#heap[at + 1]];
    if (left === undefined) return undefined;
    return right !== undefined && isBefore(right, left) ? { at: at + 1, event: right } : { at, event: left };
  }
}

/** So many at once, such as the cores of a machine; others wait, first come first served. */
export class Servers {
  readonly #clock: Clock;
  readonly #count: number;
  #taken = 0;
  #waiting: (() => void)[] = [];
  /** Where in `#waiting` the queue begins: moving a long array for each that leaves it would be slow. */
  #head = 0;
  /** Time served, of all servers together. */
  busyMs = 0;

  constructor(clock: Clock, count: number) {
    this.#clock = clock;
    this.#count = count;
  }

  /** Being served and waiting. */
  get present(): number {
    return this.#taken + this.#waiting.length - this.#head;
  }

  /** Calls back when one of them is free, which is then taken until `leave`. */
  enter(begin: () => void): void {
    if (this.#taken < this.#count) {
      this.#taken += 1;
      begin();
    } else {
      this.#waiting.push(begin);
    }
  }

  leave(): void {
    const next = this.#waiting[this.#head];
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#head += 1;
    if (this.#head > 1_000 && this.#head * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    next();
  }

  /** Waits for a server, is served so long, and calls back. */
  use(ms: number, done: () => void): void {
    this.enter(() => {
      this.busyMs += ms;
      this.#clock.after(ms, () => {
        this.leave();
        done();
      });
    });
  }
}

/** What does one thing at a time, on cores that may be shared with others: a Node process, a connection to Postgres. */
export class SingleThread {
  readonly #turn: Servers;
  readonly #cores: Servers;

  constructor(clock: Clock, cores: Servers) {
    this.#turn = new Servers(clock, 1);
    this.#cores = cores;
  }

  use(ms: number, done: () => void): void {
    this.#turn.enter(() =>
      this.#cores.use(ms, () => {
        this.#turn.leave();
        done();
      }),
    );
  }
}

/** Calls back once, when that many have called what it answers. */
export function whenAll(count: number, done: () => void): () => void {
  let left = count;
  return () => {
    left -= 1;
    if (left === 0) done();
  };
}
