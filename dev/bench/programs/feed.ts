import { keepHeapSmall } from '../../../cli/small-heap.ts';
import { startOfLoad } from '../../../indexer/generations/unfinished.ts';
import { reindexConfig } from '../../../indexer/reindex/config.ts';
import { loadGeneration } from '../../../indexer/reindex/load.ts';
import { createWriteContext } from '../../../indexer/write/write-context.ts';
import { databaseConfig, elasticsearchConfig } from '../../../src/config/indexer.ts';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { createPool } from '../../../src/postgres/pool.ts';

// The load of a reindex alone, with the limits that a reindex has: from Postgres to wherever ELASTICSEARCH_URL leads.

keepHeapSmall();
const config = reindexConfig(process.env);
const pool = createPool(databaseConfig(process.env), (error) => {
  throw error;
});
const client = createElasticsearchClient({
  ...elasticsearchConfig(process.env),
  maxResponseBytes: 64 * 1_048_576,
  maxConnections: config.pressure.maxRequests,
});
const generation = {
  // No row has it: where the load has got to is told to Postgres, and kept nowhere.
  id: 0,
  kind: 'companies',
  number: 1,
  indexName: 'bench-nowhere',
  documentSql: selectBodies(kinds.companies.sql, 'document', ''),
} as const;
const cpuBefore = process.cpuUsage();
const startedMs = performance.now();
const counts = await loadGeneration(createWriteContext(pool, client, config), generation, {
  from: startOfLoad,
  signal: new AbortController().signal,
  onProgress: () => undefined,
});
const seconds = (performance.now() - startedMs) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuSeconds = (user + system) / 1e6;
process.stdout.write(`${JSON.stringify({ seconds, cpuSeconds, documents: counts.rows, bytes: counts.bytes })}\n`);
await Promise.all([pool.end(), client.close()]);
