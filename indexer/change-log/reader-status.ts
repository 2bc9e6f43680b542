import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { readValue } from '../../src/postgres/statements.ts';
import { resolveNotes } from '../resolver/resolver.ts';
import type { ResolverDeps } from '../resolver/resolving.ts';
import { affectedDocuments, dependantPages, scanChanges } from './changes.ts';

// Entries of the change log that a generation's reader has not applied: those of transactions that its position, a
// snapshot, did not see.

const newEntries = `
  from search_generations g cross join lateral search_unseen(g.kind, g.position) as entry
  where g.id = $1`;

/** Returns a snapshot. All notes that were committed before the call are entries that it sees. */
export async function resolvedSnapshot(deps: ResolverDeps, signal?: AbortSignal): Promise<string> {
  const { pool } = deps;
  await resolveNotes(deps, signal);
  return readValue(pool, 'select pg_current_snapshot()::text');
}

/** The progress of a generation's reader, as seen from a snapshot. */
export interface ReaderStatus {
  /**
   * Text that changes with each step of the reader, also inside one transaction; null if the generation is not
   * followed.
   */
  readonly position: string | null;
  /** Entries that the snapshot sees and the reader has not applied; counting stops at 100,000. */
  readonly pending: number;
}

export async function readReaderStatus(pool: pg.Pool, generationId: number, snapshot: string): Promise<ReaderStatus> {
  const { rows } = await pool.query<ReaderStatus>(
    `select (select concat_ws(' ', position, progress_xid, progress_seq) from search_generations
             where id = $1 and position is not null) as position,
            (select count(*)::int from (
               select ${newEntries} and pg_visible_in_snapshot(entry.xid, $2::pg_snapshot) limit 100000
             ) as waiting) as pending`,
    [generationId, snapshot],
  );
  return rows[0] ?? { position: null, pending: 0 };
}

export interface WaitOptions {
  /** The wait ends when the reader has made no step for this long. */
  readonly waitMs: number;
  readonly pollMs: number;
  /** Returns false for a reader that will not move in this state. */
  readonly isWorthWaiting: (status: ReaderStatus) => boolean;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/**
 * Waits until a generation's reader has applied all that a snapshot sees, or is not worth waiting for. Returns its last
 * status.
 */
export async function waitForReader(
  pool: pg.Pool,
  generationId: number,
  snapshot: string,
  options: WaitOptions,
): Promise<ReaderStatus> {
  let seen: ReaderStatus | undefined;
  let movedMs = options.nowMs();
  for (;;) {
    const status = await readReaderStatus(pool, generationId, snapshot);
    if (status.pending === 0 || !options.isWorthWaiting(status)) return status;
    if (seen !== undefined && (status.position !== seen.position || status.pending < seen.pending)) {
      movedMs = options.nowMs();
    }
    seen = status;
    if (options.nowMs() - movedMs >= options.waitMs) return status;
    options.signal.throwIfAborted();
    await sleep(options.pollMs, options.signal);
  }
}

/** The pending entries of a reader about some documents. */
export interface PendingChanges {
  /** Documents, among those, that entries name directly or as dependants. */
  readonly ids: ReadonlySet<number>;
  /** The table was emptied: orphaned documents will be removed, and all rows are new. */
  readonly truncated: boolean;
  readonly everything: boolean;
}

/** Finds pending entries of a generation's reader about some documents. */
export async function findPending(
  pool: pg.Pool,
  generationId: number,
  kind: KindName,
  suspects: ReadonlySet<number>,
): Promise<PendingChanges> {
  const { rows } = await pool.query<{ from: string; to: string; embeddingModel: string | null }>(
    `select position::text as from, pg_current_snapshot()::text as to, embedding_model as "embeddingModel"
     from search_generations where id = $1 and position is not null`,
    [generationId],
  );
  const pending = { ids: new Set<number>(), truncated: false, everything: false };
  const [span] = rows;
  if (span === undefined) return pending;
  const { embeddingModel, ...between } = span;
  for await (const { changes } of scanChanges(pool, { reader: kind, ...between, chunkSize: 5_000 })) {
    const wanted = affectedDocuments({ kind, embeddingModel }, changes);
    pending.truncated ||= wanted.truncated;
    pending.everything ||= wanted.everything;
    addAmong(suspects, wanted.ids, pending.ids);
    for await (const page of dependantPages(pool, wanted.lookups)) addAmong(suspects, page, pending.ids);
  }
  return pending;
}

function addAmong(suspects: ReadonlySet<number>, ids: readonly number[], found: Set<number>): void {
  for (const id of ids) if (suspects.has(id)) found.add(id);
}
