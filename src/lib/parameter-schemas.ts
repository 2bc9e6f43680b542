import { z } from 'zod';
import { noneOf, oneOfText, shownName } from './text/closest-name.ts';
import { counted } from './text/counted.ts';
import { inputJsonSchemas, type Json } from './wire-schema.ts';

/** One of a few words. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, {
    error: ({ input }) =>
      input === undefined ? `is required, and must be ${oneOfText(values)}` : noneOf(input, values),
  });
}

/** `true` or `false`, as a word. */
export function trueOrFalse() {
  return oneOf(['true', 'false']).register(inputJsonSchemas, { schema: { type: 'boolean' } });
}

/** A whole number in decimal digits. */
export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.int({ error }).min(min, { error }).max(max, { error }))
    .register(inputJsonSchemas, { schema: { type: 'integer', minimum: min, maximum: max } });
}

/** Control characters except tabs and line breaks, halves of surrogate pairs, and Unicode's noncharacters. */
const noText = /[^\P{Cc}\t\n\r]|\p{Cs}|\p{Noncharacter_Code_Point}/gu;

/** Replaces characters that are not text by blanks. Postgres refuses NUL, and the others have no meaning. */
export function plainText(text: string): string {
  return text.replace(noText, ' ');
}

/** Text with a maximum number of Unicode code points. Characters that are not text become blanks. */
export function textUpTo(max: number) {
  const error = `must be at most ${counted(max, 'character')} long`;
  return z
    .string()
    .refine((text) => text.length <= max || Array.from(text).length <= max, { error })
    .overwrite(plainText)
    .meta({ maxLength: max });
}

/** Maximum number of values in a list. */
const valuesMax = 100;

/** The rule for a value of a list, and the function that reads it; null for an invalid value. */
interface ListItem<Value> {
  /** A description in words, or the allowed names. */
  readonly wanted: string | readonly string[];
  readonly schema: Json;
  read(text: string): Value | null;
}

/**
 * Splits a list that is given as a repeated parameter, as values separated by commas, or both. White space around
 * values and empty values are ignored. A backslash before a comma makes the comma part of the value.
 */
export function splitList(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.match(/(?:\\[\\,]|[^,])+/g) ?? [])
    .map((value) => value.replace(/\\([\\,])/g, '$1').trim())
    .filter((value) => value !== '');
}

/** A list without repeated values, in the given order. */
export function listOf<Value extends string | number>({ wanted, schema, read }: ListItem<Value>) {
  const list = z.array(z.string()).transform((texts, context): readonly Value[] => {
    const values = [...new Set(splitList(texts))];
    const wrong = values.find((value) => read(value) === null);
    if (wrong === undefined && values.length > 0 && values.length <= valuesMax) {
      const good = values.flatMap((value) => read(value) ?? []);
      return [...new Set(good)];
    }
    context.addIssue(problemOf(values, wrong, wanted));
    return z.NEVER;
  });
  return list.register(inputJsonSchemas, {
    schema: { type: 'array', items: schema, minItems: 1, maxItems: valuesMax },
  });
}

/** Returns true for the schema of a list, whose parameter may be repeated. */
export function isList(schema: unknown): boolean {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodType && inputJsonSchemas.get(inner)?.schema.type === 'array';
}

/**
 * Items that are one of a few names.
 * @param title of these names together, for the types that clients are made of
 */
export function memberOf<const Name extends string>(names: readonly Name[], title: string) {
  return {
    wanted: names,
    schema: { title, type: 'string', enum: names },
    read: (text: string): Name | null => names.find((name) => name === text) ?? null,
  };
}

function problemOf(values: readonly string[], wrong: string | undefined, wanted: ListItem<unknown>['wanted']): string {
  const several = 'or several of them with commas between';
  if (values.length > valuesMax) return `has ${values.length} values, at most ${valuesMax} are allowed`;
  if (typeof wanted === 'string') {
    const rule = `must be ${wanted}, ${several}`;
    return wrong === undefined ? `is empty, it ${rule}` : `${rule}; "${shownName(wrong)}" is not`;
  }
  if (wrong === undefined) return `is empty, it ${noneOf(null, wanted)}, ${several}`;
  return `"${shownName(wrong)}" is unknown, it ${noneOf(wrong, wanted)}`;
}
