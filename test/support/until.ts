import { setTimeout as delay } from 'node:timers/promises';
import { printMs } from './print-ms.ts';

const checkEveryMs = 10;
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
    if (performance.now() - startedMs > patienceMs) throw new Error(`${what} did not happen within ${patienceMs} ms`);
    await delay(checkEveryMs);
  }
  const tookMs = performance.now() - startedMs;
  if (tookMs > worthPrintingMs) printMs(what, tookMs);
}
