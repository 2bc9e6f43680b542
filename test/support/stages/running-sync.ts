import { limitsOf, withCommandLimits } from '../../../dev/lib/limits.ts';
import { syncConfig } from '../../../indexer/config.ts';
import type { SyncDeps } from '../../../indexer/sync/events.ts';
import { runSync } from '../../../indexer/sync/sync.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import type { SyncStage } from './sync.ts';

/** A sync of all kinds in this process, which ends with its scope. */
export interface RunningSync extends AsyncDisposable {
  stop(): Promise<void>;
}

export function startSync(deps: SyncDeps): RunningSync {
  const stopping = new AbortController();
  const running = runSync(deps, kindNames, stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('The test is over.'));
    await running;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** The same with short pauses, and the halted generations that it compared and repaired. */
export function startMending(stage: SyncStage, settings: Readonly<Record<string, string>> = {}) {
  const env = withCommandLimits({ ...settings }, { verify: { waitMs: 1_000 } });
  const mended: { readonly kind: KindName; readonly differed: number }[] = [];
  const handlers = {
    repaired: ({ kind }: { readonly kind: KindName }, { differed }: { readonly differed: number }) =>
      void mended.push({ kind, differed }),
  };
  const config = { ...syncConfig(settings, limitsOf(env)), longestPauseMs: 200 };
  return { ...startSync(stage.syncDeps(handlers, config)), mended };
}
