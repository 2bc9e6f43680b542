import { z } from 'zod';
import { hourMs, minuteMs } from '../lib/durations.ts';
import { readEmbeddings } from './embeddings.ts';
import { databaseVariables, elasticsearchVariables } from './engines.ts';
import { durationMs, type Environment, parseSettings, wholeNumber } from './settings.ts';

// Settings of the command line. Each command parses only what it needs, so that `accounts list` does not ask for an
// Elasticsearch address.

/** The largest numbers of shards and replicas of an index, and the bytes of an entry of the change log with its indexes. */
const indexBounds = { shards: 1_024, replicas: 10, logEntryBytes: 150 } as const;

export const indexerVariables = z.object({
  ELASTICSEARCH_SHARDS: wholeNumber({ min: 1, max: indexBounds.shards, default: 1 }).describe(
    'Number of [shards](../indexing.md#shards-and-replicas) of each index. A change needs a reindex.',
  ),
  ELASTICSEARCH_REPLICAS: wholeNumber({ min: 0, max: indexBounds.replicas, default: 0 }).describe(
    'Number of replicas of each index once it is built. Use 1 on a cluster.',
  ),
  GENERATIONS_KEPT: wholeNumber({ min: 0, max: 100, default: 1 }).describe(
    'Number of earlier indices that are kept and followed for a rollback. Each costs as many writes as the live one.',
  ),
  REINDEX_REQUESTS: wholeNumber({ min: 1, max: 64, default: 4 }).describe(
    'Maximum number of concurrent bulk requests of `reindex`. It sends fewer while the cluster refuses some. Each takes up to 1.5 MiB of memory.',
  ),
  CHANGE_LOG_MAX_AGE: durationMs({ min: 1_000, max: 720 * hourMs, default: 72 * hourMs }).describe(
    'Age of the oldest entry of the change log beyond which a halted or idle index [loses its position](../runbook.md#the-change-log-grows).',
  ),
  CHANGE_LOG_MAX_ENTRIES: wholeNumber({ min: 1_000, max: 10_000_000_000, default: 20_000_000 }).describe(
    `The same limit as a number of entries. Each takes about ${indexBounds.logEntryBytes} bytes with its indexes.`,
  ),
});

/** Returns the settings of indices and the change log. Throws `SettingsError`. */
export function indexerSettings(env: Environment): z.output<typeof indexerVariables> {
  return parseSettings(indexerVariables, env);
}

/** Returns the options of an index. Throws `SettingsError`. */
export function indexOptions(env: Environment) {
  return { embeddings: readEmbeddings(env)?.model ?? null, shards: indexerSettings(env).ELASTICSEARCH_SHARDS };
}

/** Limits of the change log. Beyond them, indices that no process follows lose their position. */
export interface ChangeLogLimits {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
}

export function changeLogLimits(env: Environment): ChangeLogLimits {
  const settings = indexerSettings(env);
  return { maxAgeMs: settings.CHANGE_LOG_MAX_AGE, maxEntries: settings.CHANGE_LOG_MAX_ENTRIES };
}

const postgresSettings = z.object(databaseVariables);

/** Returns the connection settings for Postgres. */
export function databaseConfig(env: Environment) {
  const settings = parseSettings(postgresSettings, env);
  return {
    url: settings.DATABASE_URL,
    applicationName: 'entity-search indexer',
    maxConnections: 8,
    connectTimeoutMs: 10_000,
    /** Commands read and write in batches; a longer statement waits for a lock or for the disk. */
    statementTimeoutMs: 10 * minuteMs,
    idleTimeoutMs: 30_000,
  };
}

const elasticsearchSettings = z.object(elasticsearchVariables);

/** Returns the connection settings for Elasticsearch, and the prefix of every index and alias; '' for none. */
export function elasticsearchConfig(env: Environment) {
  const settings = parseSettings(elasticsearchSettings, env);
  return {
    url: settings.ELASTICSEARCH_URL,
    apiKey: settings.ELASTICSEARCH_API_KEY,
    caFile: settings.ELASTICSEARCH_CA_FILE,
    indexPrefix: settings.INDEX_PREFIX,
  };
}

/** Returns the settings of both engines. Throws one `SettingsError` with every problem of either. */
export function enginesConfig(env: Environment) {
  parseSettings(postgresSettings.extend(elasticsearchVariables), env);
  return { database: databaseConfig(env), elasticsearch: elasticsearchConfig(env) };
}
