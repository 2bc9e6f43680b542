import { hostname } from 'node:os';
import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { type ReindexConfig, reindexConfig } from '../indexer/config.ts';
import type { VerifyLimits } from '../indexer/limits.ts';
import { createWriteContext, type WriteContext } from '../indexer/write/write-context.ts';
import type { IndexOptions } from '../mappings/registry.ts';
import { databaseConfig, enginesConfig } from '../src/config/indexer.ts';
import { createElasticsearchClient } from '../src/elasticsearch/client.ts';
import { createPool } from '../src/postgres/pool.ts';
import type { CommandContext } from './context.ts';

/** The longest responses are a page of whole documents and a bulk answer. */
const maxResponseBytes = 128 * 1_048_576;

/** Both engines, until they are disposed. */
export interface Engines extends AsyncDisposable {
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly indexPrefix: string;
}

/** The most connections to Postgres that a command needs at the same time. */
export const connectionsOf = {
  // Each window holds a connection while its suspects are judged on others.
  sync: ({ windowsAtOnce }: Pick<VerifyLimits, 'windowsAtOnce'>): number => 16 + windowsAtOnce,
  // Per kind: two locks, the windows compared, and two for reading and recording.
  reindex: ({ windowsAtOnce }: Pick<VerifyLimits, 'windowsAtOnce'>, kindsAtOnce: number): number =>
    (4 + windowsAtOnce) * kindsAtOnce,
} as const;

/** Names this process in Postgres' list of connections. */
export function processName(command: string): string {
  return `entity-search ${command}, ${hostname()}:${process.pid}`;
}

/** @param requests to Elasticsearch at the same time */
export function connectEngines(
  { env, log }: Pick<CommandContext, 'env' | 'log'>,
  { connections, requests }: { readonly connections: number; readonly requests: number },
): Engines {
  const { database, elasticsearch } = enginesConfig(env);
  const { indexPrefix, ...address } = elasticsearch;
  const maxConnections = Math.max(database.maxConnections, connections);
  const pool = createPool({ ...database, maxConnections }, logIdleError(log));
  const client = createElasticsearchClient({ ...address, maxResponseBytes, maxConnections: requests });
  return {
    pool,
    client,
    indexPrefix,
    async [Symbol.asyncDispose]() {
      await Promise.all([pool.end(), client.close()]);
    },
  };
}

/** Both engines, for a command that reads and writes documents of indices. */
export interface DocumentCommandContext extends WriteContext<ReindexConfig>, IndexOptions {
  readonly indexPrefix: string;
}

/** Opens both engines for a command and closes them afterwards. */
export async function withDocumentCommand<Result>(
  context: CommandContext,
  connections: number,
  work: (engines: DocumentCommandContext) => Promise<Result>,
): Promise<Result> {
  const config = reindexConfig(context.env, context.limits);
  await using engines = connectEngines(context, { connections: connections + 2, requests: connections + 4 });
  const { embeddings, shards } = config;
  const { pool, client, indexPrefix } = engines;
  return await work({ ...createWriteContext(pool, client, config), indexPrefix, embeddings, shards });
}

/** Opens a pool for a command and closes it afterwards. */
export async function withDatabase<Result>(
  { env, log }: Pick<CommandContext, 'env' | 'log'>,
  work: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const pool = createPool(databaseConfig(env), logIdleError(log));
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Logs a broken idle connection. The pool replaces it, and a statement with the same problem reports it. */
function logIdleError(log: CommandContext['log']): (error: Error) => void {
  return (err) => log.debug({ err }, 'an idle connection to Postgres broke');
}
