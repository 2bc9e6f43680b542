/** Limits of concurrent work. */
export interface LimiterLimits {
  readonly slotsMax: number;
  /** Maximum number of callers that wait for a slot. */
  readonly waitingMax: number;
  /** Maximum wait in milliseconds while slots are being released. */
  readonly waitMs: number;
  /** Time in milliseconds after the last release at which all waiting callers are refused, because the work hangs. */
  readonly stallMs: number;
}

/** The current use of a limiter, and the refusals since the process began. */
export interface LimiterCounts {
  readonly active: number;
  readonly waiting: number;
  readonly refused: number;
}

/** The limits of a limiter without a queue. */
export const noQueue = { waitingMax: 0, waitMs: 0, stallMs: 0 } as const;

/** Frees a slot; further calls do nothing. */
export type Release = () => void;

/** Slots for one sort of work, with a short queue. */
export interface ConcurrencyLimiter {
  readonly limits: LimiterLimits;
  counts(): LimiterCounts;
  /** Takes a slot if one is free. */
  tryAcquire(): Release | null;
  /**
   * Takes a slot, waiting for one if necessary, first come first served. Resolves with null if none became free in
   * time, too many callers wait already, or the signal was aborted.
   */
  acquire(signal?: AbortSignal): Promise<Release | null>;
}

export function createLimiter(limits: LimiterLimits): ConcurrencyLimiter {
  let active = 0;
  let refused = 0;
  let stalled = false;
  let stallTimer: NodeJS.Timeout | undefined;
  // Iterates in the order of arrival.
  const waiting = new Set<(release: Release | null) => void>();

  function takeSlot(): Release {
    let released = false;
    active += 1;
    return () => {
      if (released) return;
      released = true;
      active -= 1;
      stalled = false;
      const [next] = waiting;
      next?.(takeSlot());
      watchForStall();
    };
  }

  /**
   * While slots are released, a burst of callers waits its turn. If none is released, all waiting callers are refused
   * at once.
   */
  function watchForStall(): void {
    clearTimeout(stallTimer);
    if (waiting.size === 0) return;
    stallTimer = setTimeout(() => {
      stalled = true;
      for (const settle of [...waiting]) settle(refuse());
    }, limits.stallMs);
  }

  function refuse(): null {
    refused += 1;
    return null;
  }

  function wait(signal: AbortSignal | undefined): Promise<Release | null> {
    const { promise, resolve } = Promise.withResolvers<Release | null>();
    const settle = (release: Release | null): void => {
      waiting.delete(settle);
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(release);
    };
    const onAbort = (): void => settle(null);
    const timer = setTimeout(() => settle(refuse()), limits.waitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    waiting.add(settle);
    if (waiting.size === 1) watchForStall();
    return promise;
  }

  return {
    limits,
    counts: () => ({ active, waiting: waiting.size, refused }),
    tryAcquire: () => (active < limits.slotsMax ? takeSlot() : refuse()),
    async acquire(signal) {
      if (signal?.aborted) return null;
      if (active < limits.slotsMax) return takeSlot();
      const mayWait = !stalled && waiting.size < limits.waitingMax && limits.waitMs > 0;
      return mayWait ? wait(signal) : refuse();
    },
  };
}
