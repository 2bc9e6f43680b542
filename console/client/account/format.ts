/** Formats numbers and times in the locale of the browser. */

const numbers = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
/** The API's days are in UTC. */
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const longDays = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const formatNumber = (value: number) => numbers.format(value);
export const formatCompact = (value: number) => compact.format(value);
export const formatDate = (iso: string) => dates.format(new Date(iso));
export const formatTime = (iso: string) => times.format(new Date(iso));
export const formatDay = (day: string) => days.format(new Date(day));
export const formatLongDay = (day: string) => longDays.format(new Date(day));

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `in 20 minutes`, `yesterday`: uses the largest unit that has at least one. */
export function formatRelative(seconds: number): string {
  const [unit, size] = units.find(([, unitSeconds]) => Math.abs(seconds) >= unitSeconds) ?? units[3];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Such as `1 call`, `2 calls`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
