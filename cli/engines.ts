import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { reindexConfig } from '../indexer/reindex/config.ts';
import { createWriteContext } from '../indexer/write/context.ts';
import type { PartialReindexDeps } from '../indexer/write/partial-reindex.ts';
import { enginesConfig } from '../src/config/indexer.ts';
import type { Cluster } from '../src/elasticsearch/admin.ts';
import { createElasticsearchClient } from '../src/elasticsearch/client.ts';
import { createPool } from '../src/postgres/pool.ts';
import type { CommandContext } from './context.ts';

/** Both engines, as a command that reads and writes parts of indices uses them. */
export interface Engines {
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly cluster: Cluster;
  readonly indexPrefix: string;
  readonly parts: PartialReindexDeps;
}

/** A page of whole documents; nothing else that is asked here is longer. */
const maxResponseBytes = 128 * 1_048_576;

/** Lends both engines to a command and closes them afterwards, whatever happens. */
export async function withEngines<Result>(
  context: CommandContext,
  connections: number,
  work: (engines: Engines) => Promise<Result>,
): Promise<Result> {
  const config = reindexConfig(context.env, context.limits);
  const {
    database,
    elasticsearch: { indexPrefix, ...address },
  } = enginesConfig(context.env);
  const maxConnections = Math.max(database.maxConnections, connections + 2);
  const pool = createPool({ ...database, maxConnections }, (error) =>
    context.log.warn({ err: error }, 'an idle connection to Postgres broke'),
  );
  const client = createElasticsearchClient({ ...address, maxResponseBytes, maxConnections: connections + 4 });
  try {
    return await work({
      pool,
      client,
      cluster: { client, limits: config.actions },
      indexPrefix,
      parts: createWriteContext(pool, client, config),
    });
  } finally {
    await Promise.all([pool.end(), client.close()]);
  }
}
