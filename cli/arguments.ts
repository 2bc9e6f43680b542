import { Argument, InvalidArgumentError } from 'commander';
import { kindNames } from '../src/kinds/kind.ts';

export function kindsArgument(): Argument {
  return new Argument('[kinds...]', 'which kinds').choices(kindNames).default(kindNames, 'all');
}

// Parsers of option and argument values. Commander turns their errors into wrong usage.

/** Returns a parser of whole numbers between two bounds. */
export function wholeNumber(from: number, to: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= from && value <= to) return value;
    const end = to === Number.MAX_SAFE_INTEGER ? '' : ` to ${to}`;
    throw new InvalidArgumentError(`It must be a whole number from ${from}${end}.`);
  };
}

export const positiveNumber = wholeNumber(1);

/** The column of calls a minute is a 32-bit integer. */
export const perMinute = wholeNumber(1, 2_147_483_647);

const idsAtMost = 100_000;

/** Parses ids separated by commas; ascending, each once. */
export function idList(text: string): readonly number[] {
  const ids = text.split(',').map((part) => positiveNumber(part.trim()));
  if (ids.length > idsAtMost) throw new InvalidArgumentError(`At most ${idsAtMost} ids at once.`);
  return [...new Set(ids)].sort((one, other) => one - other);
}

/** Parses a day (its beginning in UTC) or a date and time with its zone. */
export function moment(text: string): Date {
  const date = new Date(text);
  const hasForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  // `Date` reads 31 April as 1 May; the calendar check refuses it.
  const exists = hasForm && new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));
  if (!exists || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('It must be ISO 8601, such as 2030-01-31 or 2030-01-31T12:00:00Z.');
  }
  return date;
}

export function label(text: string): string {
  if (text === '' || text !== text.trim()) {
    throw new InvalidArgumentError('It must not be empty, nor begin or end with white space.');
  }
  return text;
}

export function planName(text: string): string {
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(text)) {
    throw new InvalidArgumentError(
      'It must begin with a letter and hold only lower-case letters, digits, "-" and "_".',
    );
  }
  return text;
}

export interface ActiveFlags {
  readonly active?: boolean;
  readonly inactive?: boolean;
}

/** Returns undefined if neither flag was given. */
export function activeFlag({ active, inactive }: ActiveFlags): boolean | undefined {
  return active || (inactive ? false : undefined);
}
