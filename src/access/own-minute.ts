/** A minute that one process counts by itself; `startedAtMs` on a monotonic clock. */
export interface OwnMinute {
  readonly startedAtMs: number;
  readonly used: number;
}

export const minuteMs = 60_000;

/** The minute under way: it begins with a first call and lasts 60 s. */
export function currentMinute(minute: OwnMinute | undefined, nowMs: number): OwnMinute {
  if (minute !== undefined && nowMs - minute.startedAtMs < minuteMs) return minute;
  return { startedAtMs: nowMs, used: 0 };
}
