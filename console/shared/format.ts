// Numbers and times. The locale is fixed: the server and every browser must render the same text.

const locale = 'en-GB';
const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const numbers = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const day = { day: 'numeric', month: 'short' } as const;
/** Times are in the zone of the browser. */
const dates = new Intl.DateTimeFormat(locale, { ...day, year: 'numeric' });
const times = new Intl.DateTimeFormat(locale, { ...day, year: 'numeric', hour: '2-digit', minute: '2-digit' });
/** The API's days are in UTC. */
const days = new Intl.DateTimeFormat(locale, { ...day, year: 'numeric', timeZone: 'UTC' });
const shortDays = new Intl.DateTimeFormat(locale, { ...day, timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

export const formatNumber = (value: number) => numbers.format(value);
export const formatCompact = (value: number) => compact.format(value);
export const formatUsd = (value: number) => usd.format(value);
export const formatDate = (iso: string) => dates.format(new Date(iso));
export const formatTime = (iso: string) => times.format(new Date(iso));
export const formatShortDay = (date: string) => shortDays.format(new Date(date));
export const formatDay = (date: string) => days.format(new Date(date));

/** Formats a day such as `2026-03-01`, or a range of days. Returns null if there is none. */
export function daysText(from: string | null, to: string | null): string | null {
  const [first, last] = [from, to].map((date) => (date === null ? null : new Date(`${date}T00:00:00Z`)));
  if (!first || Number.isNaN(first.getTime())) return null;
  if (!last || Number.isNaN(last.getTime()) || last <= first) return days.format(first);
  return days.formatRange(first, last);
}

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
