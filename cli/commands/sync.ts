import { EventEmitter } from 'node:events';
import type { Command } from 'commander';
import type { Registry } from 'prom-client';
import { syncConfig } from '../../indexer/config.ts';
import type { BackgroundDeps } from '../../indexer/embeddings/background.ts';
import { ChangedTexts } from '../../indexer/embeddings/changed-texts.ts';
import type { EmbeddingEvents } from '../../indexer/embeddings/fill-vectors.ts';
import { countEmbedding } from '../../indexer/embeddings/metrics.ts';
import { refuseForeignOwner } from '../../indexer/generations/alias-conflict.ts';
import { drainOnce } from '../../indexer/sync/drain-once.ts';
import type { SyncDeps, SyncEvents } from '../../indexer/sync/events.ts';
import { countSync } from '../../indexer/sync/metrics.ts';
import { runSync } from '../../indexer/sync/sync.ts';
import { watchPressure } from '../../indexer/write/metrics.ts';
import { createWriteContext } from '../../indexer/write/write-context.ts';
import { readEmbeddings } from '../../src/config/embeddings.ts';
import { createEmbeddingProvider } from '../../src/embeddings/create-provider.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { kindsArgument } from '../arguments.ts';
import { connectEngines, connectionsOf, processName } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { offerMetrics } from '../metrics.ts';
import { Progress } from '../progress/progress.ts';
import { reportSync } from '../progress/sync.ts';

export function makeCommand(context: CommandContext): Command {
  return defineCommand('sync', {
    notes: `Runs until SIGTERM or Ctrl-C, and finishes the work under way. While Postgres or Elasticsearch is not available, it
keeps trying. One process reads into an index; others wait and take over within seconds. It follows the indices
that are searched, and those that a rollback may go back to.

Searches find a changed row within a second of its commit: Elasticsearch refreshes twice a second.

With EMBEDDINGS, it also makes the vectors of texts that are new or changed, in the background (not with --once): a
document is searchable at once, its vector follows.

Settings: GENERATIONS_KEPT, CHANGE_LOG_MAX_AGE, CHANGE_LOG_MAX_ENTRIES, METRICS_PORT, and those of embed
(docs/reference/settings.md).`,
    examples: ['sync', 'sync companies people', 'sync --once', 'sync 2>>sync.ndjson &'],
  })
    .addArgument(kindsArgument())
    .option('--once', 'bring the indices up to this moment, then end')
    .action((kinds: readonly KindName[], flags: { readonly once?: boolean }) =>
      run(context, kinds, flags.once === true),
    );
}

async function run(context: CommandContext, kinds: readonly KindName[], once: boolean): Promise<void> {
  const config = syncConfig(context.env, context.limits);
  await using engines = connectEngines(context, {
    connections: connectionsOf.sync(config.verify),
    requests: config.pressure.maxRequests + 4,
  });
  const { pool, client, indexPrefix } = engines;
  // Two indices are expected, so one leaves half of the memory for the other.
  const writing = createWriteContext(pool, client, config, 2);
  using progress = new Progress(context);
  const events = new EventEmitter<SyncEvents>();
  const embeddingEvents = new EventEmitter<EmbeddingEvents>();
  using _report = reportSync(progress, events, embeddingEvents, writing.nowMs);
  await using metrics = await offerMetrics(context, engines);
  watchPressure(metrics.registry, writing.limiter, writing.buffers);
  countSync(metrics.registry, events);
  await using embedding = backgroundEmbedding(context, {
    ...writing,
    registry: metrics.registry,
    events: embeddingEvents,
  });
  const deps: SyncDeps = {
    ...writing,
    vectors: embedding.deps,
    refuseForeignOwner: () => refuseForeignOwner({ pool, cluster: writing.cluster, indexPrefix }, kinds),
    indexPrefix,
    applicationName: processName('sync'),
    events,
  };
  if (once) await drainOnce(deps, kinds, context.signal);
  else await runSync(deps, kinds, context.signal);
}

/** Makes vectors next to the readers until it is disposed; undefined if EMBEDDINGS is off. */
function backgroundEmbedding(
  { env, limits: { embeddings: limits } }: CommandContext,
  given: Pick<BackgroundDeps, 'pool' | 'nowMs' | 'random' | 'events'> & { readonly registry: Registry },
): AsyncDisposable & { readonly deps: BackgroundDeps | undefined } {
  const config = readEmbeddings(env);
  if (config === null) return { deps: undefined, [Symbol.asyncDispose]: async () => undefined };
  const { pool, nowMs, random, registry, events } = given;
  // At low priority: changes and imports must be as fast as without vectors.
  const provider = createEmbeddingProvider({ ...config, batchSize: limits.batchSize }, { isBackground: true });
  countEmbedding(registry, events);
  const changed = new ChangedTexts(limits.queuedIds);
  return {
    deps: { pool, provider, timeoutMs: limits.timeoutMs, events, limits, changed, nowMs, random },
    [Symbol.asyncDispose]: () => provider.close(),
  };
}
