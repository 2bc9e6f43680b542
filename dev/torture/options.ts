import { InvalidArgumentError } from 'commander';

/** Parses an option that counts something: up to nine digits. Throws commander's error for anything else. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}
