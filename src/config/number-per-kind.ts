import { z } from 'zod';
import { type KindName, kindNames, mapKinds } from '../kinds/kind.ts';
import { type Bounds, optionalText } from './settings.ts';

/** A whole number for each kind: one for all of them (`3`), or some by name and the default for the rest (`people=2`). */
export function numberPerKind({ min, max, default: defaultNumber }: Bounds) {
  const wanted = `must be a whole number from ${min} to ${max}, or such numbers by kind: companies=${min + 1},people=${min + 1}`;
  return optionalText
    .transform((text, context) => {
      const numbers = text === undefined ? new Map<KindName, number>() : readNumbers(text);
      const isValid = numbers !== null && [...numbers.values()].every((number) => number >= min && number <= max);
      if (isValid) return mapKinds((kind) => numbers.get(kind) ?? defaultNumber);
      context.addIssue({ code: 'custom', message: wanted, input: text });
      return z.NEVER;
    })
    .meta({
      allowed: `\`${min}\` – \`${max}\`, or by kind: \`companies=${min + 1},people=${min + 1}\``,
      default: `\`${defaultNumber}\``,
    });
}

/** Null where the text is neither a number nor a list of different kinds with one each. */
function readNumbers(text: string): ReadonlyMap<KindName, number> | null {
  if (/^\d{1,9}$/.test(text)) return new Map(kindNames.map((kind) => [kind, Number(text)]));
  const numbers = new Map<KindName, number>();
  for (const part of text.split(',')) {
    const [, name, digits] = /^\s*([a-z]+)\s*=\s*(\d{1,9})\s*$/.exec(part) ?? [];
    const kind = kindNames.find((one) => one === name);
    if (kind === undefined || numbers.has(kind)) return null;
    numbers.set(kind, Number(digits));
  }
  return numbers;
}
