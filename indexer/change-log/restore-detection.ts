import type pg from 'pg';
import { recordEnded } from '../generations/generations.ts';
import { lastVersion } from '../read/versions.ts';
import { IndexGoneError } from '../write/bulk-response.ts';
import type { WriteContext } from '../write/write-context.ts';
import { HaltedError, haltAllGenerations, haltBehindMarker, haltGenerations, recordIndexIdentity } from './halts.ts';
import { type IndexIdentity, readIndexHistory, readIndexIdentity } from './index-identity.ts';
import { type ReaderState, readReaderState, rewindPosition } from './positions.ts';
import { advanceMarker, isBehindMarker } from './write-marker.ts';

/** The generation was removed, or never had a position, so it cannot be followed. */
export class GenerationEndedError extends Error {
  constructor(id: number) {
    super(`Generation ${id} has ended.`);
    this.name = 'GenerationEndedError';
  }
}

/** Returns the state of a generation's reader. Throws `HaltedError` or `GenerationEndedError` if it is not followed. */
export async function readFollowedState(pool: pg.Pool, generationId: number): Promise<ReaderState> {
  const state = await readReaderState(pool, generationId);
  if (state === undefined || !state.open) throw new GenerationEndedError(generationId);
  if (state.halted !== null) throw new HaltedError(state, state.halted);
  return state;
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
  /** The copies that acknowledged the position. */
  #identity: string | null = null;
  #isMarkerChecked = false;

  constructor(context: WriteContext, identityEveryMs: number) {
    this.#context = context;
    this.#identityEveryMs = identityEveryMs;
  }

  /** Repeats all checks in the next round: a failure may have been a restart. */
  reset(): void {
    this.#identityAtMs = Number.NEGATIVE_INFINITY;
    this.#isMarkerChecked = false;
  }

  /** Checks at the beginning of a round. Returns true if the position was moved back. */
  async begin(state: ReaderState): Promise<boolean> {
    this.#identity = state.indexIdentity;
    if (await this.rewindIfMoved(state)) return true;
    if (this.#isMarkerChecked) return false;
    if (await isBehindMarker(this.#context, state)) await this.#haltBehindMarker(state);
    this.#isMarkerChecked = true;
    return false;
  }

  /**
   * Checks at intervals, and after every failure, that the index's copies are those that acknowledged the position. If
   * not, they may have forgotten deletions: moves the position back and returns true.
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
    // A generation's first reader has no earlier changes to repeat.
    return changed && before !== null;
  }

  async advanceMarker(state: ReaderState): Promise<void> {
    if (await advanceMarker(this.#context, state)) await this.#haltBehindMarker(state);
  }

  /** Halts everything, and throws, if the index holds a version that was never drawn here. */
  async throwIfVersionUnknown({ id, indexName }: ReaderState, version: number): Promise<void> {
    const { pool } = this.#context;
    if (version <= (await lastVersion(pool))) return;
    await haltAllGenerations(pool, indexName, version);
    // Throws with the position of the halt, which is unknown here.
    await readFollowedState(pool, id);
  }

  async #known(state: ReaderState, identity: IndexIdentity): Promise<string> {
    if (identity.kind === 'gone') return this.#indexGone(state);
    if (identity.kind === 'unknown') {
      throw new Error(`Elasticsearch can't write to ${state.indexName} now: ${identity.why}.`);
    }
    return identity.identity;
  }

  /**
   * Ends a retired generation whose index was removed by hand or with its cluster; otherwise throws `IndexGoneError`.
   */
  async #indexGone({ id, indexName, kind, state }: ReaderState): Promise<never> {
    if (state !== 'retired')
      throw new IndexGoneError(`there is no index ${indexName}. Run: entity-search reindex ${kind}`);
    await recordEnded(this.#context.pool, indexName);
    throw new GenerationEndedError(id);
  }

  /** Halts a generation whose documents are of another time, so that its position does not apply to them. */
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
