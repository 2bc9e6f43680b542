import { findPending, type PendingChanges, resolvedSnapshot, waitForReader } from '../change-log/reader-status.ts';
import { idsWithDeadLetters } from '../dead-letters/dead-letters.ts';
import { firstForeignVersion, lastVersion, nextVersion } from '../read/versions.ts';
import { type Difference, entityIdOf, entityIdsOf, findDifferences } from './differences.ts';
import type { VerifyContext } from './verify-context.ts';

/** Separates differences from pending changes. docs/indexing.md has the argument. */
export class SuspectCheck {
  readonly #context: VerifyContext;
  /** Proven, by `_id`: seen twice, with everything applied in between that was known at the first time. */
  readonly differences = new Map<string, Difference>();
  /** Pending entries of the change log, at the last check. */
  pending = 0;
  /** Documents that differ and are named by pending entries, so they will be read again. */
  waiting = 0;
  /** Documents that changed at every check. */
  changing = 0;
  readonly changingKeys: string[] = [];
  /** The highest version of a document that differed and that ours can be raised above; 0 for none. */
  highestVersion = 0;
  /** The reader's place at the last wait that timed out: it is not waited for again while it stays there. */
  #stuckAt: string | null = null;

  constructor(context: VerifyContext) {
    this.#context = context;
  }

  async check(keys: Iterable<string>): Promise<void> {
    const { config, pool, generation } = this.#context;
    const { version: begun } = await nextVersion(pool);
    let open = await findDifferences(this.#context, keys);
    for (let round = 1; open.length > 0 && round <= config.roundsAtMost; round += 1) {
      const pending = await this.#pendingAfterPresent(open);
      const before = new Map(open.map(({ key, trace }) => [key, trace]));
      const now = await findDifferences(this.#context, before.keys());
      const highest = await lastVersion(pool);
      const changed: Difference[] = [];
      const brought: Difference[] = [];
      for (const one of now) {
        if (one.version < firstForeignVersion) this.highestVersion = Math.max(this.highestVersion, one.version);
        if (isExplained(one, pending)) this.waiting += 1;
        else if (before.get(one.key) === one.trace) this.differences.set(one.key, one);
        else if (one.version > begun && one.version <= highest) brought.push(one);
        else changed.push(one);
      }
      // Documents written from the tables since this began are right. Later changes of the row are in the change log,
      // unless Elasticsearch has rejected them.
      const letters = await idsWithDeadLetters(pool, generation.id, entityIdsOf(brought));
      open = [...changed, ...brought.filter(({ key }) => letters.has(entityIdOf(key) ?? 0))];
    }
    this.changing += open.length;
    const room = config.differencesAtMost - this.changingKeys.length;
    this.changingKeys.push(...open.slice(0, room).map(({ key }) => key));
  }

  /** Waits until the reader has passed the present; returns the suspects that still have pending entries. */
  async #pendingAfterPresent(open: readonly Difference[]): Promise<PendingChanges> {
    const { pool, config, nowMs, generation, isFollowed, signal } = this.#context;
    const snapshot = await resolvedSnapshot(this.#context, signal);
    const stuckAt = this.#stuckAt;
    const passed = await waitForReader(pool, generation.id, snapshot, {
      ...config,
      isWorthWaiting: ({ position }) => isFollowed && position !== stuckAt,
      nowMs,
      signal,
    });
    this.pending = passed.pending;
    this.#stuckAt = passed.pending === 0 ? null : passed.position;
    if (passed.pending === 0) return { ids: new Set(), truncated: false, everything: false };
    return findPending(pool, generation.id, generation.kind, new Set(entityIdsOf(open)));
  }
}

/** Returns true if pending entries will make this document equal to the tables, whatever it is now. */
function isExplained({ key, kind }: Difference, pending: PendingChanges): boolean {
  const id = entityIdOf(key);
  // No entry is about an `_id` that no entity has.
  if (id === undefined) return false;
  if (pending.ids.has(id) || pending.truncated) return true;
  // All rows will be read again, which does not find documents without a row.
  return pending.everything && kind !== 'extra';
}
