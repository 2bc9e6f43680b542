import { Argument, InvalidArgumentError } from 'commander';
import { kindNames } from '../src/kinds/kind.ts';
import { CommandError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';

/** All kinds where none is named. */
export function kindsArgument(): Argument {
  return new Argument('[kinds...]', 'which kinds').choices(kindNames).default(kindNames, 'all');
}

// Parsers of option and argument values. Commander turns their errors into wrong usage.

/** A whole number from 1 to 2^53-1. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('It must be a whole number from 1.');
  }
  return value;
}

/** The same within what the column of calls a minute holds. */
export function perMinute(text: string): number {
  const value = positiveNumber(text);
  if (value > 2_147_483_647) throw new InvalidArgumentError('It must be at most 2147483647.');
  return value;
}

const idsAtMost = 100_000;

/** Ids separated by commas; ascending, each once. */
export function idList(text: string): readonly number[] {
  const ids = text.split(',').map((part) => positiveNumber(part.trim()));
  if (ids.length > idsAtMost) throw new InvalidArgumentError(`At most ${idsAtMost} ids at once; use --since for more.`);
  return [...new Set(ids)].sort((one, other) => one - other);
}

/** A moment: a day (its beginning in UTC) or a date and time with its zone. */
export function moment(text: string): Date {
  const date = new Date(text);
  const hasForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  // The engine takes the 31st of April for the 1st of May; the calendar does not.
  const exists = hasForm && new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));
  if (!exists || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('It must be ISO 8601, such as 2030-01-31 or 2030-01-31T12:00:00Z.');
  }
  return date;
}

/** A name without white space around it. */
export function label(text: string): string {
  if (text === '' || text !== text.trim()) {
    throw new InvalidArgumentError('It must not be empty, nor begin or end with white space.');
  }
  return text;
}

/** A plan's name. */
export function planName(text: string): string {
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(text)) {
    throw new InvalidArgumentError('It may hold lower-case letters, digits, "-" and "_", and begins with a letter.');
  }
  return text;
}

/** True, false, or undefined where neither was given. */
export function activeFlag(flags: { readonly active?: boolean; readonly inactive?: boolean }): boolean | undefined {
  if (flags.active && flags.inactive) {
    throw new CommandError('--active and --inactive exclude each other.', exitCodes.usage);
  }
  if (flags.active) return true;
  return flags.inactive ? false : undefined;
}
