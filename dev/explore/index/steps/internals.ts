import { EventEmitter } from 'node:events';
import { pruneChanges } from '../../../../indexer/change-log/prune.ts';
import { syncConfig } from '../../../../indexer/config.ts';
import { drainOnce } from '../../../../indexer/sync/drain-once.ts';
import type { SyncEvents } from '../../../../indexer/sync/events.ts';
import { createWriteContext } from '../../../../indexer/write/write-context.ts';
import { databaseConfig, elasticsearchConfig } from '../../../../src/config/indexer.ts';
import { createElasticsearchClient } from '../../../../src/elasticsearch/client.ts';
import { kindNames } from '../../../../src/kinds/kind.ts';
import { createPool } from '../../../../src/postgres/pool.ts';
import { limitsOf } from '../../../lib/limits.ts';
import type { commandLine } from '../world/program.ts';
import type { World } from '../world/world.ts';

/** `sync --once`, whose readers take one entry at a time and move their positions after each. */
export const drainByEntry: ReturnType<typeof commandLine> = async (env, signal) => {
  const config = syncConfig(env, limitsOf(env));
  const { indexPrefix, ...cluster } = elasticsearchConfig(env);
  const pool = createPool({ ...databaseConfig(env), maxConnections: 10 }, () => undefined);
  const client = createElasticsearchClient({ ...cluster, maxResponseBytes: 16_777_216, maxConnections: 8 });
  try {
    const reader = { ...config.reader, chunkSize: 1, stepMs: 0, identityEveryMs: 0 };
    const deps = {
      ...createWriteContext(pool, client, config),
      config: { ...config, reader, bulk: { ...config.bulk, giveUpAfterMs: 0 } },
      indexPrefix,
      applicationName: 'entity-search sync, by entry',
      events: new EventEmitter<SyncEvents>(),
    };
    await drainOnce(deps, kindNames, signal);
    return { code: 0, out: '', err: '' };
  } catch (error) {
    return { code: 1, out: '', err: String(error) };
  } finally {
    await Promise.all([pool.end(), client.close()]);
  }
};

/** Removes entries that no reader needs from the log. Returns their number. */
export async function prune(world: World): Promise<number> {
  const settings = databaseConfig({ ...world.env(), DATABASE_URL: world.pair.url(world.database) });
  const pool = createPool({ ...settings, maxConnections: 2 }, () => undefined);
  try {
    return await pruneChanges(pool, new AbortController().signal);
  } finally {
    await pool.end();
  }
}
