export const dayMs = 86_400_000;

/** Returns the day of a time in UTC, such as `2026-01-31`. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
