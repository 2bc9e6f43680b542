import { InvalidArgumentError } from 'commander';

/** Reads an option that is a whole number; others are refused with a sentence. */
export function countOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}
