import { z } from 'zod';
import { plainWords } from '../lib/plain-words.ts';

// The pieces from which each process's configuration is made. Pure: the environment is an argument.

/** The process's environment, as given by its composition root. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that are missing or wrong; the message names each variable and what it may be. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The environment needs a correction:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** Parses the environment with a schema of the pieces below; throws `SettingsError` with all problems at once. */
export function parseSettings<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.output<Schema> {
  const parsed = schema.safeParse(env, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

// A variable that is set to nothing (`X= command`, an empty line in an env file) counts as unset.
const emptyAsUnset = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/** Text that may be absent. */
export const optionalText = emptyAsUnset;

/** The address of a Postgres database. */
export const postgresUrl = emptyAsUnset.pipe(
  z.url({
    protocol: /^postgres(ql)?$/,
    error: (issue) =>
      issue.input === undefined
        ? 'is not set; give the address of a Postgres database, such as postgres://user:password@127.0.0.1:5432/entity_search'
        : 'must be an address such as postgres://user:password@127.0.0.1:5432/entity_search',
  }),
);

const nodeAddress = z.url({ protocol: /^https?$/ });

/** The address of an Elasticsearch cluster, or those of several of its nodes. */
const elasticsearchUrl = emptyAsUnset.pipe(
  z
    .string({ error: 'is not set; give the address of an Elasticsearch cluster, such as http://127.0.0.1:9200' })
    .refine((list) => list.split(',').every((address) => nodeAddress.safeParse(address.trim()).success), {
      error: 'must be an address such as http://127.0.0.1:9200, or several, separated by commas',
    }),
);

/** The variables that every process uses to reach Elasticsearch. */
export const elasticsearchVariables = {
  ELASTICSEARCH_URL: elasticsearchUrl,
  ELASTICSEARCH_API_KEY: optionalText,
  ELASTICSEARCH_CA_FILE: optionalText,
} as const;

/** What comes before the name of every index and alias, so that several installations share a cluster. */
export const indexPrefix = emptyAsUnset.pipe(
  z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'may hold lower-case letters, digits and "-", 50 characters at most')
    .default(''),
);

const logLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
  error: 'must be one of fatal, error, warn, info, debug, trace, silent',
});
export type LogLevel = z.infer<typeof logLevel>;

/** A log level that may be absent. */
export const optionalLogLevel = emptyAsUnset.pipe(logLevel.optional());

/** What a whole number may be, and what it is when the variable is unset. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** A whole number within bounds. */
export function wholeNumber(bounds: Bounds) {
  return unitNumber(bounds, { '': 1 }, 'a whole number');
}

const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** A length of time in milliseconds; written as `1500`, `1500ms`, `90s`, `15m` or `2h`. Bounds in milliseconds. */
export function durationMs(bounds: Bounds) {
  return unitNumber(bounds, { '': 1, ...durationUnits }, 'milliseconds, or a number with ms, s, m or h');
}

const sizeUnits = { B: 1, KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 } as const;

/** A size in bytes; written as `65536`, `512KiB` or `4MiB`. Bounds in bytes. */
export function byteSize(bounds: Bounds) {
  return unitNumber(bounds, { '': 1, ...sizeUnits }, 'bytes, or a number with KiB, MiB or GiB');
}

function unitNumber(bounds: Bounds, units: Readonly<Record<string, number>>, what: string) {
  const wanted = `must be ${what}, from ${bounds.min} to ${bounds.max}`;
  return emptyAsUnset.transform((text, context) => {
    if (text === undefined) return bounds.default;
    const match = /^(\d{1,15})([A-Za-z]*)$/.exec(text);
    const unit = units[match?.[2] ?? ''];
    const value = Number(match?.[1]) * (unit ?? Number.NaN);
    if (Number.isSafeInteger(value) && value >= bounds.min && value <= bounds.max) return value;
    context.addIssue({ code: 'custom', message: wanted, input: text });
    return z.NEVER;
  });
}
