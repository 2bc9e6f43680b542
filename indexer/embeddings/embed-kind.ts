import { EmbeddingError } from '../../src/embeddings/provider.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { Backoff, type BackoffLimits } from '../../src/lib/backoff.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { IndexerError } from '../errors.ts';
import { describeHolder, type LockHolder, type LockSession } from '../generations/locks.ts';
import type { Limits } from '../limits.ts';
import { type EmbeddingDeps, VectorFiller } from './fill-vectors.ts';
import { VectorScan, vectorLock } from './scan.ts';
import { countWaiting, waitingTexts } from './vector-rows.ts';

export interface EmbedKindDeps extends EmbeddingDeps {
  readonly limits: BackoffLimits & Pick<Limits['embeddings'], 'windowRows' | 'attempts'>;
  readonly locks: LockSession;
  readonly random: () => number;
  /** Reports that another process makes these vectors, and is waited for. */
  readonly onWaiting: (kind: KindName, holder: string) => void;
}

export interface EmbedReport {
  readonly kind: KindName;
  readonly stored: number;
  readonly skipped: number;
  readonly removed: number;
  /** Texts without a vector: refused ones, and those that changed meanwhile. */
  readonly waiting: number;
}

/** A text may change while it is embedded: then all texts are checked again, up to this many times. */
const passesAtMost = 3;
const lockPollMs = 500;

/**
 * Makes the vectors that a kind lacks. May be stopped and called again at any time: stored vectors are not made again.
 * Rejects with `IndexerError` if the provider keeps failing, with an error of Postgres, or with the signal's
 * reason.
 */
export async function embedKind(deps: EmbedKindDeps, kind: KindName, signal: AbortSignal): Promise<EmbedReport> {
  const { pool, provider, locks } = deps;
  const target = { kind, model: provider.model };
  const stop = AbortSignal.any([signal, locks.lost]);
  await takeLock(deps, kind, stop);
  const filler = new VectorFiller(deps);
  let removed = 0;
  deps.events.emit('backlog', kind, await countWaiting(pool, target));
  for (let pass = 1, changed = 0; pass === 1 || (filler.counts.changed > changed && pass <= passesAtMost); pass += 1) {
    ({ changed } = filler.counts);
    await fillAll(deps, filler, { kind, signal: stop }, (vectors) => {
      removed += vectors;
    });
  }
  await locks.release(vectorLock(target));
  const { stored, skipped } = filler.counts;
  return { kind, stored, skipped, removed, waiting: await countWaiting(pool, target) };
}

async function takeLock({ locks, provider, onWaiting }: EmbedKindDeps, kind: KindName, signal: AbortSignal) {
  let told: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const taken: true | LockHolder | undefined = await locks.take(vectorLock({ kind, model: provider.model }));
    if (taken === true) return;
    const holder = describeHolder(taken);
    if (taken !== undefined && holder !== told) onWaiting(kind, holder);
    told = holder;
    await sleep(lockPollMs, signal);
  }
}

async function fillAll(
  deps: EmbedKindDeps,
  filler: VectorFiller,
  { kind, signal }: { readonly kind: KindName; readonly signal: AbortSignal },
  onOrphansRemoved: (vectors: number) => void,
): Promise<void> {
  const { pool, provider, limits } = deps;
  const target = { kind, model: provider.model };
  const scan = new VectorScan(pool, target, { windowRows: limits.windowRows, onOrphansRemoved });
  for (let texts = await scan.next(signal); texts !== undefined; texts = await scan.next(signal)) {
    const ids = texts.map(({ id }) => id);
    let left = texts;
    await retried(deps, signal, async (again) => {
      // Vectors stored before the failure are not pending.
      if (again) left = await waitingTexts(pool, target, ids);
      await filler.fill(kind, filler.acceptable(kind, left), signal);
    });
  }
}

/** Runs work that needs the provider, and retries it after a pause. */
async function retried(
  { limits, random, events }: EmbedKindDeps,
  signal: AbortSignal,
  work: (again: boolean) => Promise<void>,
): Promise<void> {
  const backoff = new Backoff(limits, random);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work(attempt > 1);
      if (backoff.reset()) events.emit('recovered');
      return;
    } catch (error) {
      if (!(error instanceof EmbeddingError) || signal.aborted) throw error;
      if (attempt >= limits.attempts) {
        throw new IndexerError(
          `No vectors can be created: ${error.message}\nThose that were created are kept. Check the server that EMBEDDINGS names, then run the command again to continue.`,
          { cause: error },
        );
      }
      const pauseMs = backoff.next();
      events.emit('failure', error.message, pauseMs);
      await sleep(pauseMs, signal);
    }
  }
}
