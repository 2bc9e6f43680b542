import { setTimeout as delay } from 'node:timers/promises';

/** Waits. Rejects with the signal's own reason when it aborts; Node's timer would hide it. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Waits for a time or until the signal aborts. Never rejects. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Returns the outcome of `work`, or `fallback` if it takes longer. Then the signal is aborted, so that the work can
 * stop.
 */
export async function withTimeout<Outcome>(
  timeoutMs: number,
  fallback: Outcome,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const controller = new AbortController();
  const late = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => {
    controller.abort();
    late.resolve(fallback);
  }, timeoutMs);
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
