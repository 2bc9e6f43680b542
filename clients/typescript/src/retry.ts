/** Limits on a call's time, repetitions and size. */
export interface Limits {
  /** Milliseconds for one request and its answer. */
  readonly timeoutMs: number;
  /** The number of times a call is repeated. */
  readonly retries: number;
  /** Milliseconds of waiting in all. If the server asks for more, its error is thrown at once. */
  readonly retryWaitMs: number;
  /** The largest unpacked answer in bytes. */
  readonly answerBytes: number;
}

export const defaultLimits: Limits = {
  timeoutMs: 30_000,
  retries: 3,
  retryWaitMs: 60_000,
  answerBytes: 32 * 1024 * 1024,
};

/** Statuses that, with Retry-After, ask for the same request again. */
export const repeatableStatuses: ReadonlySet<number> = new Set([429, 503]);

/** The longest jitter, which spreads the repetitions of many clients. */
const jitterMaxMs = 1_000;

/**
 * Returns the milliseconds in Retry-After; null if there is no readable one. A date is compared with the header Date.
 */
export function retryAfterOf(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,12}$/.test(value)) return Number(value) * 1_000;
  // Date.parse accepts much that is not a date of HTTP, such as a signed number.
  const at = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return null;
  const now = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now));
}

/** The remaining repetitions of a call and its remaining time for waiting. */
export class Patience {
  #retries: number;
  #waitMs: number;

  constructor({ retries, retryWaitMs }: Limits) {
    this.#retries = retries;
    this.#waitMs = retryWaitMs;
  }

  /**
   * Returns the milliseconds to wait before the call is repeated, at least `asked`; null if it must not be repeated.
   */
  next(askedMs: number | null): number | null {
    if (askedMs === null || this.#retries < 1 || askedMs > this.#waitMs) return null;
    const jitterMs = Math.random() * Math.min(jitterMaxMs, 100 + askedMs / 4);
    const waitMs = Math.min(askedMs + jitterMs, this.#waitMs);
    this.#retries -= 1;
    this.#waitMs -= waitMs;
    return waitMs;
  }
}

/** Waits. Rejects with the signal's reason if it aborts first. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
