import { setTimeout as delay } from 'node:timers/promises';

/** Waits so long. Rejects with the signal's own reason when that aborts; Node's timer would hide it. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Waits so long, or until the signal aborts. Never rejects. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
