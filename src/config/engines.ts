import { z } from 'zod';
import { type Environment, oneOf, optionalText, parseSettings } from './settings.ts';

// What both processes read: where the engines are, and how much is logged.

const postgresUrl = optionalText.pipe(
  z.url({
    protocol: /^postgres(ql)?$/,
    error: (issue) =>
      issue.input === undefined
        ? 'is not set; give the address of a Postgres database, such as postgres://user:password@127.0.0.1:5432/entity_search'
        : 'must be an address such as postgres://user:password@127.0.0.1:5432/entity_search',
  }),
);

const nodeAddress = z.url({ protocol: /^https?$/ });

const elasticsearchUrl = optionalText.pipe(
  z
    .string({ error: 'is not set; give the address of an Elasticsearch cluster, such as http://127.0.0.1:9200' })
    .refine((list) => list.split(',').every((address) => nodeAddress.safeParse(address.trim()).success), {
      error: 'must be an address such as http://127.0.0.1:9200, or several, separated by commas',
    }),
);

const indexPrefix = optionalText.pipe(
  z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'may hold lower-case letters, digits and "-", 50 characters at most')
    .default(''),
);

const logLevel = oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']);
export type LogLevel = NonNullable<z.infer<typeof logLevel>>;

export const databaseVariables = {
  DATABASE_URL: postgresUrl.meta({
    allowed: '`postgres://…`',
    default: 'required',
    description: 'The database. Its role decides what the process [may do](../install.md#database-roles).',
  }),
} as const;

export const elasticsearchVariables = {
  ELASTICSEARCH_URL: elasticsearchUrl.meta({
    allowed: '`http://…`, `https://…`',
    default: 'required if used',
    description:
      'The cluster; may carry `user:password@`. Separate several nodes by commas: a node that fails is skipped until it answers again, and its search is retried once on another node.',
  }),
  ELASTICSEARCH_API_KEY: optionalText.meta({
    allowed: 'text',
    default: 'none',
    description: 'Takes precedence over user and password.',
  }),
  ELASTICSEARCH_CA_FILE: optionalText.meta({
    allowed: 'path of a PEM file',
    default: 'none',
    description: "The authority that signed the cluster's certificate.",
  }),
  INDEX_PREFIX: indexPrefix.meta({
    allowed: 'lower-case letters, digits, `-`',
    default: 'none',
    description: 'Prefix of every index and alias, so that several installations can share a cluster.',
  }),
} as const;

export const logVariables = {
  LOG_LEVEL: logLevel.meta({
    default: 'API: `info`; commands: `info` when piped, `silent` on a terminal',
    description: 'How much is logged.',
  }),
} as const;

/** LOG_LEVEL, or undefined where the process decides by itself. */
export function logLevelConfig(env: Environment): LogLevel | undefined {
  return parseSettings(z.object(logVariables), env).LOG_LEVEL;
}
