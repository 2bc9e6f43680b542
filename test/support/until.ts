import { setTimeout as delay } from 'node:timers/promises';

const lookEveryMs = 10;

/** Looks until the condition holds. Throws that `what` did not happen when it takes too long. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 30_000,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await delay(lookEveryMs);
  }
}
