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
