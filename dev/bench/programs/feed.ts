import { pino } from 'pino';
import { connectEngines } from '../../../cli/connections.ts';
import { keepHeapSmall } from '../../../cli/small-heap.ts';
import { reindexConfig } from '../../../indexer/config.ts';
import { currentOrigin } from '../../../indexer/generations/alias-conflict.ts';
import { nextNumber, planGeneration, recordState } from '../../../indexer/generations/generations.ts';
import { initialReindex } from '../../../indexer/generations/model.ts';
import { loadGeneration } from '../../../indexer/reindex/load.ts';
import { createWriteContext } from '../../../indexer/write/write-context.ts';
import { documentSql, generationHash, indexDefinition, indexRequest } from '../../../mappings/registry.ts';
import { createIndex } from '../../../src/elasticsearch/admin.ts';
import { generationName } from '../../../src/kinds/index-names.ts';

// The load of a reindex alone, with the limits that a reindex has: from Postgres to wherever ELASTICSEARCH_URL leads.

keepHeapSmall();
const { signal } = new AbortController();
const config = reindexConfig(process.env);
const log = pino({ level: 'silent' });
await using engines = connectEngines(
  { env: process.env, log },
  { connections: 8, requests: config.pressure.maxRequests },
);
const { pool, client, indexPrefix } = engines;
const context = createWriteContext(pool, client, config);

const hash = generationHash('companies', config);
const number = await nextNumber(pool, 'companies');
const generation = await planGeneration(pool, {
  kind: 'companies',
  number,
  indexName: generationName(indexPrefix, 'companies', hash, number),
  hash,
  definition: indexDefinition('companies', config),
  documentSql: documentSql('companies', config),
  embeddingModel: config.embeddings?.key ?? null,
});
try {
  const definition = indexRequest('companies', config);
  await createIndex(context.cluster, generation.indexName, definition, await currentOrigin(pool));
  await recordState(pool, generation, 'planned', { ...initialReindex, state: 'loading' });
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const counts = await loadGeneration(context, generation, { signal, onProgress: () => undefined });
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuSeconds = (user + system) / 1e6;
  process.stdout.write(`${JSON.stringify({ seconds, cpuSeconds, documents: counts.rows, bytes: counts.bytes })}\n`);
} finally {
  await pool.query('delete from search_generations where id = $1', [generation.id]);
}
