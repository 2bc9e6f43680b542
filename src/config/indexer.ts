import { z } from 'zod';
import { hourMs, minuteMs } from '../lib/durations.ts';
import { readEmbeddings } from './embeddings.ts';
import { databaseVariables, elasticsearchVariables } from './engines.ts';
import { numberPerKind } from './number-per-kind.ts';
import { durationMs, type Environment, parseSettings, wholeNumber } from './settings.ts';

// What the command line reads. Each command parses only what it needs, so that `accounts list` does not ask for an
// Elasticsearch address.

const statementVariables = {
  DATABASE_STATEMENT_TIMEOUT: durationMs({ min: 0, max: 24 * hourMs, default: 10 * minuteMs }).describe(
    'After which Postgres cancels a statement; 0: never.',
  ),
} as const;

/** The largest numbers of shards, replicas and parts of an index, and the bytes of an entry of the change log with its indexes. */
export const indexBounds = { shards: 1_024, replicas: 10, logEntryBytes: 150, syncParts: 64 } as const;

const indexVariables = z.object({
  ELASTICSEARCH_SHARDS: numberPerKind({ min: 1, max: indexBounds.shards, default: 1 }).describe(
    'Into how many shards the index of each kind is divided. Another number means a reindex; [when more than one pays](../indexing.md#shards-and-copies).',
  ),
  ELASTICSEARCH_REPLICAS: wholeNumber({ min: 0, max: indexBounds.replicas, default: 0 }).describe(
    'Copies of each index once it is built; use 1 on a cluster.',
  ),
  GENERATIONS_KEPT: wholeNumber({ min: 0, max: 100, default: 1 }).describe(
    'Earlier indices kept, and followed, for a rollback. Each costs as many writes as the live one.',
  ),
  GENERATION_RETIRE_AFTER: durationMs({ min: 0, max: 24 * hourMs, default: 15 * minuteMs }).describe(
    'How long an index that is not kept stays, not followed, for requests and cursors that began in it (cursors last 5 minutes).',
  ),
  REINDEX_REQUESTS: wholeNumber({ min: 1, max: 64, default: 4 }).describe(
    'Bulk requests of `reindex` at the same time, at most; fewer while the cluster is slow. Each takes up to 1.5 MiB of memory.',
  ),
  SYNC_REQUESTS: wholeNumber({ min: 1, max: 64, default: 4 }).describe('The same for `sync`, with up to 4 MiB each.'),
  SYNC_POLL: durationMs({ min: 10, max: minuteMs, default: 100 }).describe(
    'How often an idle index looks into the change log. Four idle indices take 8 % of a core at `100ms`, 4 % at `250ms`.',
  ),
  SYNC_PARTS: wholeNumber({ min: 0, max: indexBounds.syncParts, default: 0 }).describe(
    'Into how many parts `sync` divides the changes of each index, so that [several processes](../indexing.md#several-processes) follow it. Kept in the database when `sync` starts, for all processes; `0`: as it was set last, at first 1.',
  ),
  SYNC_REPAIR_SHARE: wholeNumber({ min: 0, max: 100, default: 10 }).describe(
    "Percent of an index's documents that `sync` repairs by itself after a promotion or a restore; always up to 100 documents. `100`: no limit.",
  ),
  CHANGE_LOG_MAX_AGE: durationMs({ min: 1_000, max: 720 * hourMs, default: 72 * hourMs }).describe(
    'Age of the oldest entry of the change log beyond which an index that is halted or stands still [loses its place](../runbook.md#the-change-log-grows).',
  ),
  CHANGE_LOG_MAX_ENTRIES: wholeNumber({ min: 1_000, max: 10_000_000_000, default: 20_000_000 }).describe(
    `The same by number of entries; each takes some ${indexBounds.logEntryBytes} bytes with its indexes.`,
  ),
});

export const indexerVariables = z.object({ ...statementVariables, ...indexVariables.shape });

/** How the commands write and follow indices. Throws `SettingsError`. */
export function indexerSettings(env: Environment): z.output<typeof indexVariables> {
  return parseSettings(indexVariables, env);
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

const postgresSettings = z.object({ ...databaseVariables, ...statementVariables });

/** How the commands reach Postgres. */
export function databaseConfig(env: Environment) {
  const settings = parseSettings(postgresSettings, env);
  return {
    url: settings.DATABASE_URL,
    applicationName: 'entity-search indexer',
    maxConnections: 8,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT,
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
