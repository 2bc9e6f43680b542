import type { KindName } from '../../src/kinds/kind.ts';
import { explainError, RefusedError } from '../errors.ts';
import { describeHolder, takeLock } from '../generations/locks.ts';
import { initialReindex, type ReindexStatus } from '../generations/model.ts';
import { compareShown } from '../resolver/resolver.ts';
import type { ReindexDeps } from './observer.ts';
import { KindRun } from './run.ts';

// Selects the kinds and takes their locks; `run.ts` does one of them.

export interface ReindexReport {
  readonly kind: KindName;
  /** The index that was built; undefined if none was begun. */
  readonly generation: string | undefined;
  readonly reindex: ReindexStatus;
  readonly seconds: number;
}

/**
 * Builds a new generation of each kind, some kinds at the same time, and points the kind's alias at it. Never throws:
 * each kind's report has its result. If a kind does not go live, its alias stays as it was; its half-built index is
 * removed, or, after an interruption, left to be resumed.
 */
export async function reindexKinds(
  deps: ReindexDeps,
  wanted: readonly KindName[],
  signal: AbortSignal,
): Promise<readonly ReindexReport[]> {
  const waiting = [...wanted];
  const reports: ReindexReport[] = [];
  let comparing: Promise<number> | undefined;
  const compareOnce = () => (comparing ??= compareShown(deps, true, signal));
  const worker = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      reports.push(await reindexKind(deps, kind, compareOnce, signal));
    }
  };
  await Promise.all(Array.from({ length: deps.config.kindsAtOnce }, worker));
  return wanted.flatMap((kind) => reports.filter((report) => report.kind === kind));
}

async function reindexKind(
  deps: ReindexDeps,
  kind: KindName,
  compareOnce: () => Promise<number>,
  signal: AbortSignal,
): Promise<ReindexReport> {
  const startMs = deps.nowMs();
  const report = (reindex: ReindexStatus, generation?: string): ReindexReport => {
    deps.observer.onState(kind, reindex.state);
    return { kind, generation, reindex, seconds: (deps.nowMs() - startMs) / 1_000 };
  };
  try {
    if (signal.aborted) return report({ ...initialReindex, state: 'aborted', error: explainError(signal.reason) });
    const taken = await takeLock(deps.pool, kind, deps.applicationName);
    if (!('held' in taken)) {
      const error = `${kind} is being reindexed already by ${describeHolder(taken.holder)}. Wait until that ends, or stop it.`;
      return report({ ...initialReindex, state: 'failed', error, refused: true });
    }
    await using lock = taken.held;
    // Entities of views need ids, also those that others only show.
    await compareOnce();
    const run = new KindRun(deps, kind, signal, lock);
    return report(await run.run(), run.indexName);
  } catch (error) {
    const refused = error instanceof RefusedError;
    return report({ ...initialReindex, state: 'failed', error: explainError(error), refused });
  }
}
