import type pg from 'pg';
import { currentSnapshot, findPending, type PendingChanges, waitForReader } from '../change-log/reader-status.ts';
import type { VerifyLimits } from '../limits.ts';
import { foreignVersion, lastVersion, nextVersion } from '../write/rows.ts';
import { type Difference, entityIdOf, findDifferences } from './differences.ts';
import { refreshIndex, type VerifyContext } from './documents.ts';

/** What became of all suspects so far. */
export interface SuspectVerdicts {
  /** Proven, by `_id`: seen twice, with everything applied in between that was known at the first time. */
  readonly differences: ReadonlyMap<string, Difference>;
  /** Entries of the change log that wait for a reader, at the last look. */
  readonly pending: number;
  /** Documents that differ and are named by entries that wait: they will be read again, whatever they are. */
  readonly waiting: number;
  /** Documents that changed at each look. */
  readonly changing: number;
  /** Their `_id`s, as many as are held. */
  readonly changingKeys: readonly string[];
  /** The highest version of a document that differed in any way, and that ours can be raised above; 0 for none. */
  readonly highestVersion: number;
}

export interface SuspectCheckDeps {
  readonly pool: pg.Pool;
  readonly config: VerifyLimits;
  readonly nowMs: () => number;
}

/**
 * Tells differences from what is on its way. `isFollowed`: whether somebody applies the change log meanwhile; without
 * that, nothing is waited for. docs/indexing.md has the argument.
 */
export class SuspectCheck implements SuspectVerdicts {
  readonly #deps: SuspectCheckDeps;
  readonly #sides: VerifyContext;
  readonly #isFollowed: boolean;
  readonly #signal: AbortSignal;
  readonly differences = new Map<string, Difference>();
  pending = 0;
  waiting = 0;
  changing = 0;
  readonly changingKeys: string[] = [];
  highestVersion = 0;
  /** Where the reader stood when it was last waited for in vain: it is not waited for again while it stands there. */
  #stuckAt: string | null = null;

  constructor(
    deps: SuspectCheckDeps,
    sides: VerifyContext,
    options: { readonly isFollowed: boolean; readonly signal: AbortSignal },
  ) {
    this.#deps = deps;
    this.#sides = sides;
    this.#isFollowed = options.isFollowed;
    this.#signal = options.signal;
  }

  /** Judges one batch of suspects, by `_id`. */
  async judge(keys: Iterable<string>): Promise<void> {
    const { config, pool } = this.#deps;
    const begun = await nextVersion(pool);
    let open = await this.#look(keys);
    for (let round = 1; open.length > 0 && round <= config.roundsAtMost; round += 1) {
      const pending = await this.#passed(open);
      const before = new Map(open.map(({ key, trace }) => [key, trace]));
      const now = await this.#look(before.keys());
      const highest = await lastVersion(pool);
      const changed: Difference[] = [];
      const brought: Difference[] = [];
      for (const one of now) {
        if (one.version < foreignVersion) this.highestVersion = Math.max(this.highestVersion, one.version);
        if (isExplained(one, pending)) this.waiting += 1;
        else if (before.get(one.key) === one.trace) this.differences.set(one.key, one);
        else if (one.version > begun && one.version <= highest) brought.push(one);
        else changed.push(one);
      }
      // What was written anew from the tables since this began is right, and what came to the row after that is in the
      // change log, unless Elasticsearch has rejected it.
      const letters = await rejectedAmong(pool, this.#sides.generation.id, brought);
      open = [...changed, ...brought.filter(({ key }) => letters.has(entityIdOf(key) ?? 0))];
    }
    this.changing += open.length;
    const room = config.differencesAtMost - this.changingKeys.length;
    this.changingKeys.push(...open.slice(0, room).map(({ key }) => key));
  }

  async #look(keys: Iterable<string>): Promise<readonly Difference[]> {
    this.#signal.throwIfAborted();
    await refreshIndex(this.#sides);
    return findDifferences(this.#sides, keys, this.#deps.config.lookRows);
  }

  /** Lets the reader pass the present; answers which of the suspects still wait for it. */
  async #passed(open: readonly Difference[]): Promise<PendingChanges> {
    const { pool, config, nowMs } = this.#deps;
    const { generation } = this.#sides;
    const snapshot = await currentSnapshot(pool);
    const stuckAt = this.#stuckAt;
    const passed = await waitForReader(pool, generation.id, snapshot, {
      ...config,
      isWorthWaiting: ({ position }) => this.#isFollowed && position !== stuckAt,
      nowMs,
      signal: this.#signal,
    });
    this.pending = passed.pending;
    this.#stuckAt = passed.pending === 0 ? null : passed.position;
    if (passed.pending === 0) return { ids: new Set(), truncated: false, everything: false };
    const suspects = new Set(open.flatMap(({ key }) => entityIdOf(key) ?? []));
    return findPending(pool, generation.id, generation.kind, suspects);
  }
}

/** The entities of those that have a dead letter. */
async function rejectedAmong(
  pool: pg.Pool,
  generationId: number,
  suspects: readonly Difference[],
): Promise<ReadonlySet<number>> {
  if (suspects.length === 0) return new Set();
  const { rows } = await pool.query<{ id: number }>(
    'select id from search_dead_letters where generation_id = $1 and id = any($2::bigint[])',
    [generationId, suspects.flatMap(({ key }) => entityIdOf(key) ?? [])],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether entries that wait will bring this document to what the tables say, whatever it is now. */
function isExplained({ key, kind }: Difference, pending: PendingChanges): boolean {
  const id = entityIdOf(key);
  // No entry is about an `_id` that no entity has.
  if (id === undefined) return false;
  if (pending.ids.has(id) || pending.truncated) return true;
  // All rows will be read again, which finds no document that has no row.
  return pending.everything && kind !== 'extra';
}
