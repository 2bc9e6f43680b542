import { limitsOf, withCommandLimits } from '../../../dev/lib/limits.ts';
import { syncConfig } from '../../../indexer/config.ts';
import { runSync } from '../../../indexer/sync/sync.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import type { SyncStage } from './sync.ts';

/** A sync in this process until it is disposed of. */
export interface RunningSync extends AsyncDisposable {
  /** Halted generations that it compared and repaired. */
  readonly mended: readonly { readonly kind: KindName; readonly differed: number }[];
}

/** Starts following all kinds of a stage, with short pauses. */
export function startSync(stage: SyncStage, settings: Readonly<Record<string, string>> = {}): RunningSync {
  const env = withCommandLimits({ ...settings }, { verify: { waitMs: 1_000 } });
  const stop = new AbortController();
  const mended: { readonly kind: KindName; readonly differed: number }[] = [];
  const running = runSync(
    stage.syncDeps(
      { onAutoRepaired: ({ kind }, { differed }) => void mended.push({ kind, differed }) },
      { ...syncConfig(settings, limitsOf(env)), longestPauseMs: 200 },
    ),
    kindNames,
    stop.signal,
  );
  return {
    mended,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
