import { indexRequest } from '../../mappings/registry.ts';
import { createIndex, readAlias, restoreSettings, swapAlias, waitWritable } from '../../src/elasticsearch/admin.ts';
import { currentOrigin, refuseForeignIndex } from '../generations/alias-conflict.ts';
import type { Generation } from '../generations/generations.ts';
import type { LockSession } from '../generations/locks.ts';
import type { LoadCounts, StepName, StepResult } from '../generations/model.ts';
import { catchUp, followWhile } from './catch-up.ts';
import { compareWithTables } from './compare.ts';
import { loadGeneration } from './load.ts';
import { mergeSegments } from './merge-segments.ts';
import type { ReindexDeps } from './observer.ts';
import { waitForCopies } from './replicas.ts';
import { removeForeignSettings } from './template-settings.ts';

export interface StepContext {
  readonly deps: ReindexDeps;
  readonly generation: Generation;
  /** The kind's alias, which searches use. */
  readonly alias: string;
  /** The kind's lifecycle lock. */
  readonly lock: Pick<LockSession, 'lost'>;
  readonly signal: AbortSignal;
  readonly onSent: (sent: LoadCounts) => void;
}

/** Performs the action of a state of `generations/model.ts`. Each may be attempted again. */
export async function performStep(step: StepName, context: StepContext): Promise<StepResult> {
  const { deps, generation, signal } = context;
  const { cluster, observer } = deps;
  const { kind, indexName } = generation;
  switch (step) {
    case 'planned':
      return create(context);
    case 'created':
      await waitWritable(cluster, indexName);
      return {};
    case 'loading':
      return load(context);
    case 'catching-up':
      await catchUp(deps, generation, signal, (round) => observer.onRound(kind, round));
      return {};
    case 'verifying':
      return verify(context);
    case 'ready': {
      const from = await readAlias(cluster, context.alias);
      context.lock.lost.throwIfAborted();
      await swapAlias(cluster, context.alias, { from, to: indexName });
      return {};
    }
    default:
      return step satisfies never;
  }
}

async function create({ deps, generation, alias }: StepContext): Promise<StepResult> {
  const { cluster, config, observer, pool } = deps;
  const { kind, indexName } = generation;
  const created = await createIndex(cluster, indexName, indexRequest(kind, config), await currentOrigin(pool));
  if (!created) await refuseForeignIndex(deps, { kind, indexName });
  const removed = await removeForeignSettings(cluster, alias, indexName);
  if (removed !== null) observer.onNote(kind, removed);
  return {};
}

async function load({ deps, generation, signal, onSent }: StepContext): Promise<StepResult> {
  const onProgress = (progress: LoadCounts): void => {
    onSent(progress);
    deps.observer.onProgress(generation.kind, progress);
  };
  const counts = await loadGeneration(deps, generation, { signal, onProgress });
  return { counts };
}

async function verify({ deps, generation, signal }: StepContext): Promise<StepResult> {
  const { cluster, config, nowMs } = deps;
  const { kind, indexName } = generation;
  const note = (text: string): void => deps.observer.onNote(kind, text);
  const comparison = await followWhile(deps, generation, signal, async (stop) => {
    // Merged before there are copies, which then have the merged segments.
    const left = await mergeSegments(cluster, indexName, stop);
    if (left !== null) note(`${indexName} serves with its segments as they are: ${left}`);
    await restoreSettings(cluster, indexName, config.replicas);
    const compared = await compareWithTables(deps, generation, stop);
    const missing = await waitForCopies(cluster, indexName, { replicas: config.replicas, nowMs, signal: stop });
    if (missing !== null) note(missing);
    return compared;
  });
  return { comparison };
}
