import type { Config } from '../config/api.ts';

/** How much work of one sort goes on at the same time. */
export interface RoomLimits {
  readonly placesMax: number;
  /** Who comes when all places are taken may wait, if no more than this many do. */
  readonly waitingMax: number;
  /** How long, in milliseconds, as long as places are left now and then. */
  readonly waitMs: number;
  /** Nobody waits any more, in milliseconds, after a place was left last: what is inside hangs. */
  readonly stallMs: number;
}

/** What a room holds now, and what it has turned away since the process began. */
export interface RoomCounts {
  readonly inside: number;
  readonly waiting: number;
  readonly refused: number;
}

/** Frees a place; further calls do nothing. */
export type Leave = () => void;

/** Places for work of one sort, and a short queue before them. */
export interface Room {
  readonly limits: RoomLimits;
  counts(): RoomCounts;
  /**
   * Takes a place, at once or after waiting, first come first served. Null where none became free in time, too many
   * wait already, or the caller has gone.
   */
  enter(gone?: AbortSignal): Promise<Leave | null>;
}

export function createRoom(limits: RoomLimits): Room {
  let inside = 0;
  let refused = 0;
  let stalled = false;
  let stall: NodeJS.Timeout | undefined;
  // Goes through its members in the order in which they came.
  const waiting = new Set<(leave: Leave | null) => void>();

  function take(): Leave {
    let left = false;
    inside += 1;
    return () => {
      if (left) return;
      left = true;
      inside -= 1;
      stalled = false;
      const [next] = waiting;
      next?.(take());
      expectLeaving();
    };
  }

  /** A burst gets its turn as places are left; where none is, all who wait are told at once. */
  function expectLeaving(): void {
    clearTimeout(stall);
    if (waiting.size === 0) return;
    stall = setTimeout(() => {
      stalled = true;
      for (const settle of [...waiting]) settle(refuse());
    }, limits.stallMs);
  }

  function refuse(): null {
    refused += 1;
    return null;
  }

  function wait(gone: AbortSignal | undefined): Promise<Leave | null> {
    const { promise, resolve } = Promise.withResolvers<Leave | null>();
    const settle = (leave: Leave | null): void => {
      waiting.delete(settle);
      clearTimeout(timer);
      gone?.removeEventListener('abort', leaveQueue);
      resolve(leave);
    };
    const leaveQueue = (): void => settle(null);
    const timer = setTimeout(() => settle(refuse()), limits.waitMs);
    gone?.addEventListener('abort', leaveQueue, { once: true });
    waiting.add(settle);
    if (waiting.size === 1) expectLeaving();
    return promise;
  }

  return {
    limits,
    counts: () => ({ inside, waiting: waiting.size, refused }),
    async enter(gone) {
      if (gone?.aborted) return null;
      if (inside < limits.placesMax) return take();
      const mayWait = !stalled && waiting.size < limits.waitingMax && limits.waitMs > 0;
      return mayWait ? wait(gone) : refuse();
    },
  };
}

/** A process's rooms, each with limits of its own, so that what hangs in one leaves the others their places. */
export interface Rooms {
  /** Every request but health, until its answer has left: what bounds memory. */
  readonly requests: Room;
  /** Work that waits for Elasticsearch. */
  readonly searches: Room;
  /** Work that waits for Postgres: records, bulk, usage. */
  readonly records: Room;
}

export function createRooms({ requestsMax, searchesMax, recordsMax, ...queue }: Config['load']): Rooms {
  return {
    requests: createRoom({ placesMax: requestsMax, ...queue, waitingMax: 0 }),
    searches: createRoom({ placesMax: searchesMax, ...queue }),
    records: createRoom({ placesMax: recordsMax, ...queue }),
  };
}
