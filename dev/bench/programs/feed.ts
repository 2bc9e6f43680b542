import { pino } from 'pino';
import { connectEngines } from '../../../cli/connections.ts';
import { startLoaders } from '../../../cli/loaders/start-loaders.ts';
import { keepHeapSmall } from '../../../cli/small-heap.ts';
import { createTerminal } from '../../../cli/terminal.ts';
import { currentOrigin } from '../../../indexer/generations/alias-conflict.ts';
import { nextNumber, planGeneration, recordState } from '../../../indexer/generations/generations.ts';
import { initialReindex } from '../../../indexer/generations/model.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { LoadRun } from '../../../indexer/load/run.ts';
import { reindexConfig } from '../../../indexer/reindex/config.ts';
import { loadGeneration } from '../../../indexer/reindex/load.ts';
import { createWriteContext } from '../../../indexer/write/write-context.ts';
import { documentSql, generationHash, indexDefinition, indexRequest } from '../../../mappings/registry.ts';
import { createIndex } from '../../../src/elasticsearch/admin.ts';
import { generationName } from '../../../src/kinds/index-names.ts';
import { sleep } from '../../../src/lib/sleep.ts';

// The load of a reindex alone, with the limits that a reindex has: from Postgres to wherever ELASTICSEARCH_URL leads.
// `feed.ts THREADS HELPERS`: with so many threads, and as soon as so many processes (`reindex --join`) wait to help.

keepHeapSmall();
const [threads = 1, helpers = 0] = process.argv.slice(2).map(Number);
const { signal } = new AbortController();
const config = reindexConfig(process.env);
const log = pino({ level: 'silent' });
await using engines = connectEngines(
  { env: process.env, log, terminal: createTerminal(process.stderr, process.stderr) },
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
  await recordState(pool, generation, { ...initialReindex, state: 'loading' });
  await using _loaders = startLoaders(
    threads - 1,
    { env: { ...process.env }, limits: defaultLimits, kinds: ['companies'], name: 'bench' },
    { signal, onTrouble: (text) => process.stderr.write(`${text}\n`) },
  );
  await untilWaiting(threads - 1 + helpers);
  await using run = new LoadRun(context, 'bench');
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const counts = await loadGeneration(context, run, generation, { signal, onProgress: () => undefined });
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuSeconds = (user + system) / 1e6;
  process.stdout.write(`${JSON.stringify({ seconds, cpuSeconds, documents: counts.rows, bytes: counts.bytes })}\n`);
} finally {
  await pool.query('delete from search_generations where id = $1', [generation.id]);
}

/** Until so many look for something to help with. */
async function untilWaiting(count: number): Promise<void> {
  const endMs = performance.now() + 60_000;
  for (let waiting = -1; waiting < count; await sleep(100)) {
    if (performance.now() > endMs) throw new Error(`${count} helpers were to come, and ${waiting} have.`);
    const { rows } = await pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query like '%l.run_id as "runId", r.release%'`,
    );
    waiting = rows[0]?.n ?? 0;
  }
}
