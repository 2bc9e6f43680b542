import { z } from 'zod';
import { type Environment, oneOf, optionalText, parseSettings } from './settings.ts';

// Settings of both processes: addresses of the engines, and the log level.

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
    description:
      'Address of the database. Its [role](../install.md#database-roles) decides which rights the process has.',
  }),
} as const;

export const elasticsearchVariables = {
  ELASTICSEARCH_URL: elasticsearchUrl.meta({
    allowed: '`http://…`, `https://…`',
    default: 'required if used',
    description:
      'Address of the cluster, optionally with `user:password@`. Separate several nodes by commas: a failed node is skipped until it answers again, and its search is retried once on another node.',
  }),
  ELASTICSEARCH_API_KEY: optionalText.meta({
    allowed: 'text',
    default: 'none',
    description: 'API key, which takes precedence over user and password.',
  }),
  ELASTICSEARCH_CA_FILE: optionalText.meta({
    allowed: 'path of a PEM file',
    default: 'none',
    description: "Certificate of the authority that signed the cluster's certificate.",
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
    description: 'Lowest level that is logged.',
  }),
} as const;

export function logLevelConfig(env: Environment): LogLevel | undefined {
  return parseSettings(z.object(logVariables), env).LOG_LEVEL;
}
