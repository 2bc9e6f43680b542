export const dayMs = 86_400_000;

/** Whole seconds, rounded up: whoever waits that long has waited long enough. */
export function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
