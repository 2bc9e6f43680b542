export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Returns whole seconds, rounded up, so that a caller who waits that long has waited long enough. */
export function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
