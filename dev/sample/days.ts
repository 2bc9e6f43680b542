// Dates are whole days since 1970-01-01 in UTC, so no time zone can shift them.

const DAY_MS = 86_400_000;

export function dayOf(year: number): number {
  return Date.UTC(year, 0, 1) / DAY_MS;
}

export function yearOf(day: number): number {
  return new Date(day * DAY_MS).getUTCFullYear();
}

export function isoDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
