import { InvalidArgumentError } from 'commander';

/** What an option that counts something takes: digits, up to nine of them. Throws commander's error for anything else. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}
