import { setTimeout as delay } from 'node:timers/promises';
import { printMs } from './print-ms.ts';

/**
 * A pause between checks lasts a twentieth of the time waited so far, or as long as the check if that is longer, within
 * these bounds: checks take processor time.
 */
const pauseMs = { min: 10, max: 250 };
const worthPrintingMs = 5_000;

/**
 * The longest wait for a condition, a little below a test's own timeout, so that a failure names the condition. It only
 * ends hopeless waits: no test expects a duration.
 */
export const patienceMs = 330_000;

/**
 * Checks repeatedly until the condition holds, and prints the duration of a long wait. Throws an error that names
 * `what` after the timeout.
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const startedMs = performance.now();
  for (let checkedMs = startedMs; !(await condition()); checkedMs = performance.now()) {
    const waitedMs = performance.now() - startedMs;
    const checkMs = performance.now() - checkedMs;
    if (waitedMs > patienceMs) throw new Error(`${what} did not happen within ${patienceMs} ms`);
    await delay(Math.min(Math.max(waitedMs / 20, checkMs, pauseMs.min), pauseMs.max));
  }
  const tookMs = performance.now() - startedMs;
  if (tookMs > worthPrintingMs) printMs(what, tookMs);
}
