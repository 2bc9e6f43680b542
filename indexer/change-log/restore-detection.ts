import type pg from 'pg';
import { recordEnded } from '../generations/generations.ts';
import { lastVersion } from '../read/versions.ts';
import { IndexGoneError } from '../write/bulk-response.ts';
import type { WriteContext } from '../write/write-context.ts';
import { HaltedError, haltAllGenerations, haltBehindMarker, haltGenerations, recordIndexIdentity } from './halts.ts';
import { type IndexIdentity, readIndexHistory, readIndexIdentity } from './index-identity.ts';
import { type ReaderState, readReaderState, rewindPosition } from './positions.ts';
import { advanceMarker, isBehindMarker } from './write-marker.ts';

/** The generation was removed, or never had a position: there is nothing to follow any more. */
export class GenerationEndedError extends Error {
  constructor(id: number) {
    super(`Generation ${id} has ended.`);
    this.name = 'GenerationEndedError';
  }
}

/** The position of a generation's reader. Throws `HaltedError` or `GenerationEndedError` where it is not followed. */
export async function readFollowedState(pool: pg.Pool, generationId: number): Promise<ReaderState> {
  const state = await readReaderState(pool, generationId);
  if (state === undefined || !state.open) throw new GenerationEndedError(generationId);
  if (state.halted !== null) throw new HaltedError(state, state.halted);
  return state;
}

/** Elasticsearch can't take writes for this index now. */
class IndexUnavailableError extends Error {
  constructor(indexName: string, why: string) {
    super(`Elasticsearch can't write to ${indexName} now: ${why}.`);
    this.name = 'IndexUnavailableError';
  }
}

/**
 * Detects, for one generation's reader, that Postgres or the index has gone back to an earlier state, and halts
 * generations that the change log can no longer bring up to date. Every method throws `HaltedError` in that case.
 */
export class RestoreDetection {
  readonly #context: WriteContext;
  /** The interval at which the copies of the index that take writes are read. */
  readonly #identityEveryMs: number;
  #identityAtMs = Number.NEGATIVE_INFINITY;
  /** The copies that the position was acknowledged by. */
  #identity: string | null = null;
  #isMarkerChecked = false;

  constructor(context: WriteContext, identityEveryMs: number) {
    this.#context = context;
    this.#identityEveryMs = identityEveryMs;
  }

  /** Whatever broke may have been a restart: everything is looked at again. */
  reset(): void {
    this.#identityAtMs = Number.NEGATIVE_INFINITY;
    this.#isMarkerChecked = false;
  }

  /** At the beginning of a round. True where the position was rewound. */
  async begin(state: ReaderState): Promise<boolean> {
    this.#identity = state.indexIdentity;
    if (await this.rewindIfMoved(state)) return true;
    if (this.#isMarkerChecked) return false;
    if (await isBehindMarker(this.#context, state)) await this.#haltBehindMarker(state);
    this.#isMarkerChecked = true;
    return false;
  }

  /**
   * Looks from time to time, and after every failure, whether the index's copies are those that acknowledged. True where
   * they are others, which may have forgotten deletions: then the position was rewound.
   */
  async rewindIfMoved(state: ReaderState): Promise<boolean> {
    const { cluster, nowMs, pool } = this.#context;
    const atMs = nowMs();
    if (atMs - this.#identityAtMs < this.#identityEveryMs) return false;
    const identity = await this.#known(state, await readIndexIdentity(cluster, state.indexName));
    const before = this.#identity;
    const changed = before !== identity;
    if (changed || state.indexHistory === null) {
      const history = await this.#known(state, await readIndexHistory(cluster, state.indexName));
      if (state.indexHistory !== null && state.indexHistory !== history)
        await this.#haltRestored(state, identity, history);
      if (changed) await rewindPosition(pool, state, { identity, history });
      else await recordIndexIdentity(pool, state.id, { identity, history });
    }
    this.#identity = identity;
    this.#identityAtMs = atMs;
    // A generation's first reader has nothing to go back for.
    return changed && before !== null;
  }

  /** Before anything is written. */
  async advanceMarker(state: ReaderState): Promise<void> {
    if (await advanceMarker(this.#context, state)) await this.#haltBehindMarker(state);
  }

  /** The index holds a version above one of ours: halts everything, and throws, where it was never drawn here. */
  async throwIfVersionUnknown({ id, indexName }: ReaderState, version: number): Promise<void> {
    const { pool } = this.#context;
    if (version <= (await lastVersion(pool))) return;
    await haltAllGenerations(pool, indexName, version);
    // With the position that it was halted at, which is not the one that is known here.
    await readFollowedState(pool, id);
  }

  async #known(state: ReaderState, identity: IndexIdentity): Promise<string> {
    if (identity.kind === 'gone') return this.#indexGone(state);
    if (identity.kind === 'unknown') throw new IndexUnavailableError(state.indexName, identity.why);
    return identity.identity;
  }

  /** The index of a retired generation is not needed: it was removed by hand, or the cluster was lost. */
  async #indexGone({ id, indexName, kind, state }: ReaderState): Promise<never> {
    if (state !== 'retired')
      throw new IndexGoneError(`there is no index ${indexName}. Run: entity-search reindex ${kind}`);
    await recordEnded(this.#context.pool, indexName);
    throw new GenerationEndedError(id);
  }

  /** Its documents are of another time, and its position does not apply to them. */
  async #haltRestored(state: ReaderState, identity: string, history: string): Promise<never> {
    const { pool } = this.#context;
    const reason =
      'the index was restored from a snapshot, created again under its name, or taken from a copy that was behind.';
    await haltGenerations(pool, { ids: [state.id], reason });
    await recordIndexIdentity(pool, state.id, { identity, history });
    throw new HaltedError(state, reason);
  }

  async #haltBehindMarker(state: ReaderState): Promise<never> {
    throw new HaltedError(state, await haltBehindMarker(this.#context.pool, state.id));
  }
}
