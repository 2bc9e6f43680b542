import { z } from 'zod';
import { plainWords } from '../lib/text/plain-words.ts';

// Schemas for the settings of each process. The environment is an argument. Each variable's schema has its row of
// docs/reference/settings.md: `allowed`, `default` and a description.

/** The process's environment, passed in by its main. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Missing or wrong settings. The message names each variable and the values that it accepts. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The environment needs a correction:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** Parses the environment. Throws `SettingsError` with all problems at once. */
export function parseSettings<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.output<Schema> {
  const parsed = schema.safeParse(env, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

/** Optional text. An empty variable (`X= command`, or `X=` in an env file) counts as unset. */
export const optionalText = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

export function textOr(defaultValue: string) {
  return optionalText.pipe(z.string().default(defaultValue)).meta({ allowed: 'text', default: code(defaultValue) });
}

/** One of a few words; absent unless there is a default. */
export function oneOf<const Word extends string>(
  words: readonly [Word, ...Word[]],
  error = `must be one of ${words.join(', ')}`,
) {
  return optionalText
    .pipe(z.enum(words, { error }).optional())
    .meta({ allowed: words.map(code).join(', '), default: 'none' });
}

/** `true` or `false`. */
export function flag(defaultValue: boolean) {
  return oneOf(['true', 'false'], 'must be true or false')
    .transform((word) => (word === undefined ? defaultValue : word === 'true'))
    .meta({ allowed: '`true`, `false`', default: code(String(defaultValue)) });
}

/** An optional `http://` or `https://` address. */
export function webAddress(example: string) {
  return optionalText
    .pipe(z.url({ protocol: /^https?$/, error: `must be an address such as ${example}` }).optional())
    .meta({ allowed: '`http://…`, `https://…`', default: 'none' });
}

const code = (text: string): string => `\`${text}\``;

/** The bounds of a whole number, and its default. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

export function wholeNumber(bounds: Bounds) {
  return unitNumber(bounds, {}, 'a whole number');
}

const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** A length of time in milliseconds; written as `1500`, `1500ms`, `90s`, `15m` or `2h`. Bounds in milliseconds. */
export function durationMs(bounds: Bounds) {
  return unitNumber(bounds, durationUnits, 'milliseconds, or a number with ms, s, m or h');
}

function unitNumber(bounds: Bounds, units: Readonly<Record<string, number>>, what: string) {
  const wanted = `must be ${what}, from ${bounds.min} to ${bounds.max}`;
  const schema = optionalText.transform((text, context) => {
    if (text === undefined) return bounds.default;
    const [, digits, unit = ''] = /^(\d{1,15})([A-Za-z]*)$/.exec(text) ?? [];
    const value = Number(digits) * (unit === '' ? 1 : (units[unit] ?? Number.NaN));
    if (Number.isSafeInteger(value) && value >= bounds.min && value <= bounds.max) return value;
    context.addIssue({ code: 'custom', message: wanted, input: text });
    return z.NEVER;
  });
  const written = (value: number): string => code(withUnit(value, units));
  return schema.meta({
    allowed: `${written(bounds.min)} – ${written(bounds.max)}`,
    default: written(bounds.default),
  });
}

/** Returns the value in the largest unit that leaves a whole number. */
function withUnit(value: number, units: Readonly<Record<string, number>>): string {
  const [name, size] = Object.entries(units).findLast(([, each]) => value % each === 0) ?? ['', 1];
  return value === 0 ? '0' : `${value / size}${name}`;
}
