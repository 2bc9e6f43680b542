import { hostname } from 'node:os';
import { refuseTransactionPooling } from '../../indexer/transaction-pooling.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { CommandContext } from '../context.ts';
import { helpLoads } from '../loaders/help-loads.ts';
import { ReindexProgress } from '../progress/reindex.ts';

/** Helps with the loads of a reindex that runs elsewhere, and prints what was loaded here. */
export async function runJoinReindex(
  context: CommandContext,
  kinds: readonly KindName[],
  flags: { readonly json?: boolean },
): Promise<void> {
  await refuseTransactionPooling(context.env);
  const nowMs = (): number => performance.now();
  using progress = new ReindexProgress(context.terminal, nowMs);
  const helped = await helpLoads(context, kinds, {
    signal: context.signal,
    patienceMs: context.limits.load.joinWaitMs,
    name: `entity-search reindex --join, ${hostname()}:${process.pid}`,
    onBegin: ({ kind, indexName, rows }) => {
      progress.onStart(kind, indexName, rows);
      progress.onState(kind, 'loading');
    },
    onProgress: (kind, load) => progress.onProgress(kind, load),
  });
  const lines = helped.map(({ kind, indexName, loaded }) => ({ kind, generation: indexName, loaded }));
  context.terminal.printEach(lines, flags);
}
