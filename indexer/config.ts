import { z } from 'zod';
import {
  byteSize,
  durationMs,
  type Environment,
  elasticsearchVariables,
  indexPrefix,
  type LogLevel,
  optionalLogLevel,
  parseSettings,
  postgresUrl,
  wholeNumber,
} from '../src/config/settings.ts';
import type { PostgresSettings } from '../src/postgres/pool.ts';

// Each command reads only what it needs, so that `accounts list` does not ask for an Elasticsearch address.

const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;
const minuteMs = 60_000;

const databaseVariables = z.object({
  DATABASE_URL: postgresUrl,
  DATABASE_CONNECT_TIMEOUT: durationMs({ min: 100, max: 10 * minuteMs, default: 10_000 }),
  DATABASE_STATEMENT_TIMEOUT: durationMs({ min: 0, max: 24 * 60 * minuteMs, default: 10 * minuteMs }),
});

/** How the indexer's commands reach Postgres. */
export function databaseConfig(env: Environment): PostgresSettings {
  const settings = parseSettings(databaseVariables, env);
  return {
    url: settings.DATABASE_URL,
    applicationName: 'entity-search indexer',
    maxConnections: 8,
    connectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT,
    statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT,
    idleTimeoutMs: 30_000,
  };
}

const elasticsearchSettings = z.object({ ...elasticsearchVariables, INDEX_PREFIX: indexPrefix });

export interface ElasticsearchConfig {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly caFile: string | undefined;
  /** Comes before every index and alias name; '' for none. */
  readonly indexPrefix: string;
}

/** How the indexer's commands reach Elasticsearch, and what they call their indices. */
export function elasticsearchConfig(env: Environment): ElasticsearchConfig {
  const settings = parseSettings(elasticsearchSettings, env);
  return {
    url: settings.ELASTICSEARCH_URL,
    apiKey: settings.ELASTICSEARCH_API_KEY,
    caFile: settings.ELASTICSEARCH_CA_FILE,
    indexPrefix: settings.INDEX_PREFIX,
  };
}

/** Both engines' settings; throws one `SettingsError` with all that is missing or wrong of either. */
export function enginesConfig(env: Environment): {
  readonly database: PostgresSettings;
  readonly elasticsearch: ElasticsearchConfig;
} {
  parseSettings(z.object({ ...databaseVariables.shape, ...elasticsearchSettings.shape }), env);
  return { database: databaseConfig(env), elasticsearch: elasticsearchConfig(env) };
}

const importVariables = z.object({
  IMPORT_BATCH_ROWS: wholeNumber({ min: 1, max: 50_000, default: 4_000 }),
  IMPORT_BATCH_BYTES: byteSize({ min: kibibyte, max: 256 * mebibyte, default: 8 * mebibyte }),
  IMPORT_MAX_LINE_BYTES: byteSize({ min: kibibyte, max: 64 * mebibyte, default: mebibyte }),
  IMPORT_BAD_LINES_SHOWN: wholeNumber({ min: 0, max: 1_000_000, default: 50 }),
});

/** The import's limits. */
export interface ImportLimits {
  /** A batch, and with it memory and one transaction, ends at whichever comes first. */
  readonly batchRows: number;
  readonly batchBytes: number;
  /** A longer line is a bad line; it is skipped without being held in memory. */
  readonly maxLineBytes: number;
  /** Bad lines reported one by one; the rest is counted. */
  readonly badLinesShown: number;
}

export function importLimits(env: Environment): ImportLimits {
  const settings = parseSettings(importVariables, env);
  return {
    batchRows: settings.IMPORT_BATCH_ROWS,
    batchBytes: settings.IMPORT_BATCH_BYTES,
    maxLineBytes: settings.IMPORT_MAX_LINE_BYTES,
    badLinesShown: settings.IMPORT_BAD_LINES_SHOWN,
  };
}

/** LOG_LEVEL, or undefined where the process decides by itself. */
export function logLevelConfig(env: Environment): LogLevel | undefined {
  return parseSettings(z.object({ LOG_LEVEL: optionalLogLevel }), env).LOG_LEVEL;
}
