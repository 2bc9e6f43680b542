import { hostname } from 'node:os';
import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import type { VerifyLimits } from '../indexer/limits.ts';
import { type ReindexConfig, reindexConfig } from '../indexer/reindex/config.ts';
import { createWriteContext, type WriteContext } from '../indexer/write/write-context.ts';
import type { IndexOptions } from '../mappings/registry.ts';
import { databaseConfig, enginesConfig } from '../src/config/indexer.ts';
import type { Cluster } from '../src/elasticsearch/admin.ts';
import { createElasticsearchClient } from '../src/elasticsearch/client.ts';
import { createPool } from '../src/postgres/pool.ts';
import type { CommandContext } from './context.ts';

/** A page of whole documents, or a bulk answer; nothing else that is asked for is longer. */
const maxResponseBytes = 128 * 1_048_576;

/** Both engines, until they are disposed. */
export interface Engines extends AsyncDisposable {
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly indexPrefix: string;
}

/** Connections to Postgres that a command may need at the same time. */
export const connectionsOf = {
  // A comparison holds a connection a window while its suspects are judged on others.
  sync: ({ windowsAtOnce }: Pick<VerifyLimits, 'windowsAtOnce'>): number => 16 + windowsAtOnce,
  // For each kind at work: two locks, the windows compared, and two that read and note things.
  reindex: ({ windowsAtOnce }: Pick<VerifyLimits, 'windowsAtOnce'>, kindsAtOnce: number): number =>
    (4 + windowsAtOnce) * kindsAtOnce,
} as const;

/** Names this process for others who see its connections. */
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

/** Both engines, as a command that reads and writes some documents of indices uses them. */
export interface DocumentCommandContext extends Omit<Engines, keyof AsyncDisposable>, IndexOptions {
  readonly cluster: Cluster;
  readonly writeContext: WriteContext<ReindexConfig>;
}

/** Lends both engines to a command and closes them afterwards, whatever happens. */
export async function withDocumentCommand<Result>(
  context: CommandContext,
  connections: number,
  work: (engines: DocumentCommandContext) => Promise<Result>,
): Promise<Result> {
  const config = reindexConfig(context.env, context.limits);
  await using engines = connectEngines(context, { connections: connections + 2, requests: connections + 4 });
  const { pool, client, indexPrefix } = engines;
  const writeContext = createWriteContext(pool, client, config);
  return await work({
    pool,
    client,
    indexPrefix,
    cluster: writeContext.cluster,
    embeddings: config.embeddings,
    shards: config.shards,
    writeContext,
  });
}

/** Lends a pool to a command and closes it afterwards, whatever happens. */
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

/** The pool replaces such a connection, and a statement that meets the cause reports it. */
function logIdleError(log: CommandContext['log']): (error: Error) => void {
  return (err) => log.debug({ err }, 'an idle connection to Postgres broke');
}
