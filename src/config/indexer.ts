import { z } from 'zod';
import { hourMs, minuteMs } from '../lib/durations.ts';
import { readEmbeddings } from './embeddings.ts';
import { databaseVariables, elasticsearchVariables } from './engines.ts';
import { numberPerKind } from './number-per-kind.ts';
import { durationMs, type Environment, parseSettings, wholeNumber } from './settings.ts';

// What the command line reads. Each command parses only what it needs, so that `accounts list` does not ask for an
// Elasticsearch address.

/** The largest numbers of shards and replicas of an index, and the bytes of an entry of the change log with its indexes. */
export const indexBounds = { shards: 1_024, replicas: 10, logEntryBytes: 150 } as const;

export const indexerVariables = z.object({
  ELASTICSEARCH_SHARDS: numberPerKind({ min: 1, max: indexBounds.shards, default: 1 }).describe(
    'Into how many shards the index of each kind is divided. Another number means a reindex; [when more than one pays](../indexing.md#shards-and-replicas).',
  ),
  ELASTICSEARCH_REPLICAS: wholeNumber({ min: 0, max: indexBounds.replicas, default: 0 }).describe(
    'Copies of each index once it is built; use 1 on a cluster.',
  ),
  GENERATIONS_KEPT: wholeNumber({ min: 0, max: 100, default: 1 }).describe(
    'Earlier indices kept, and followed, for a rollback. Each costs as many writes as the live one.',
  ),
  REINDEX_REQUESTS: wholeNumber({ min: 1, max: 64, default: 4 }).describe(
    'Bulk requests of `reindex` at the same time, at most; fewer while the cluster is slow. Each takes up to 1.5 MiB of memory.',
  ),
  CHANGE_LOG_MAX_AGE: durationMs({ min: 1_000, max: 720 * hourMs, default: 72 * hourMs }).describe(
    'Age of the oldest entry of the change log beyond which an index that is halted or stands still [loses its place](../runbook.md#the-change-log-grows).',
  ),
  CHANGE_LOG_MAX_ENTRIES: wholeNumber({ min: 1_000, max: 10_000_000_000, default: 20_000_000 }).describe(
    `The same by number of entries; each takes some ${indexBounds.logEntryBytes} bytes with its indexes.`,
  ),
});

/** How the commands write and follow indices. Throws `SettingsError`. */
export function indexerSettings(env: Environment): z.output<typeof indexerVariables> {
  return parseSettings(indexerVariables, env);
}

/** What the settings decide of an index. Throws `SettingsError`. */
export function indexOptions(env: Environment) {
  return { embeddings: readEmbeddings(env)?.model ?? null, shards: indexerSettings(env).ELASTICSEARCH_SHARDS };
}

/** How long the change log may get before indices that are not followed lose their place in it. */
export interface ChangeLogLimits {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
}

export function changeLogLimits(env: Environment): ChangeLogLimits {
  const settings = indexerSettings(env);
  return { maxAgeMs: settings.CHANGE_LOG_MAX_AGE, maxEntries: settings.CHANGE_LOG_MAX_ENTRIES };
}

const postgresSettings = z.object(databaseVariables);

/** How the commands reach Postgres. */
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

/** How the commands reach Elasticsearch, and what comes before the name of every index and alias; '' for nothing. */
export function elasticsearchConfig(env: Environment) {
  const settings = parseSettings(elasticsearchSettings, env);
  return {
    url: settings.ELASTICSEARCH_URL,
    apiKey: settings.ELASTICSEARCH_API_KEY,
    caFile: settings.ELASTICSEARCH_CA_FILE,
    indexPrefix: settings.INDEX_PREFIX,
  };
}

/** Both engines' settings; throws one `SettingsError` with all that is missing or wrong of either. */
export function enginesConfig(env: Environment) {
  parseSettings(postgresSettings.extend(elasticsearchVariables), env);
  return { database: databaseConfig(env), elasticsearch: elasticsearchConfig(env) };
}
