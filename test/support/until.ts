import { setTimeout as delay } from 'node:timers/promises';
import { printMs } from './print-ms.ts';

/** Pauses between checks are a twentieth of the time waited so far, within these bounds: checks take processor time. */
const pauseMs = { min: 10, max: 250 };
const worthPrintingMs = 5_000;

/**
 * The longest wait for a condition, a little below a test's own time-out, so that a failure names the condition. It
 * only ends waits that are lost: no test expects a duration.
 */
export const patienceMs = 150_000;

/**
 * Checks again and again until the condition holds, and prints how long a long wait took. Throws an error that names
 * `what` when the patience is over.
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const startedMs = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > patienceMs) throw new Error(`${what} did not happen within ${patienceMs} ms`);
    await delay(Math.min(Math.max(waitedMs / 20, pauseMs.min), pauseMs.max));
  }
  const tookMs = performance.now() - startedMs;
  if (tookMs > worthPrintingMs) printMs(what, tookMs);
}
