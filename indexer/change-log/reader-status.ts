import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { readChanges } from './changes.ts';
import { affectedDocuments, dependantPages } from './dependants.ts';
import type { ReaderParts } from './parts.ts';

// What the change log holds that a generation's readers have not applied, all parts of it taken together. A reader's
// position is a snapshot: new are entries of transactions that it did not see.

const newEntries = `
  from search_positions p cross join lateral search_unseen(p.kind, p.position) as entry
  where p.generation_id = $1 and search_concerns_part(p.kind, entry.kind, entry.id, p.part, p.parts)`;

/** A snapshot of this moment, in Postgres' own text. */
export async function currentSnapshot(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
  return rows[0]?.snapshot ?? '';
}

/** Where a generation's reader stands, as seen from a snapshot. */
export interface ReaderStatus {
  /** Text that changes with each step of the reader, also inside one transaction; null where nothing is followed. */
  readonly position: string | null;
  /** Entries that the snapshot sees and a reader of some part has not applied; counting stops at 100,000. */
  readonly pending: number;
}

export async function readReaderStatus(pool: pg.Pool, generationId: number, snapshot: string): Promise<ReaderStatus> {
  const { rows } = await pool.query<ReaderStatus>(
    `select (select string_agg(concat_ws(' ', position, progress_xid, progress_seq), ' | ' order by part)
             from search_positions where generation_id = $1) as position,
            (select count(*)::int from (
               select ${newEntries} and pg_visible_in_snapshot(entry.xid, $2::pg_snapshot) limit 100000
             ) as waiting) as pending`,
    [generationId, snapshot],
  );
  return rows[0] ?? { position: null, pending: 0 };
}

export interface WaitOptions {
  /** Without any step of the reader for so long, it is not waited for any more. */
  readonly waitMs: number;
  readonly pollMs: number;
  /** False: a reader that stands like this will not move. By default every one is waited for. */
  readonly isWorthWaiting?: (status: ReaderStatus) => boolean;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/**
 * Waits until a generation's reader has applied all that a snapshot sees, or is not worth waiting for. Answers where it
 * stands then.
 */
export async function waitForReader(
  pool: pg.Pool,
  generationId: number,
  snapshot: string,
  options: WaitOptions,
): Promise<ReaderStatus> {
  const { isWorthWaiting = () => true } = options;
  let seen: ReaderStatus | undefined;
  let movedMs = options.nowMs();
  for (;;) {
    const status = await readReaderStatus(pool, generationId, snapshot);
    if (status.pending === 0 || !isWorthWaiting(status)) return status;
    if (seen !== undefined && (status.position !== seen.position || status.pending < seen.pending)) {
      movedMs = options.nowMs();
    }
    seen = status;
    if (options.nowMs() - movedMs >= options.waitMs) return status;
    options.signal.throwIfAborted();
    await sleep(options.pollMs, options.signal);
  }
}

/** What the entries that a reader has not applied say about some documents. */
export interface PendingChanges {
  /** Those of the documents that they name, directly or as dependants. */
  readonly ids: ReadonlySet<number>;
  /** The table was emptied: orphaned documents will go, and all rows are new. */
  readonly truncated: boolean;
  /** Every row will be read again. */
  readonly everything: boolean;
}

/** Which of some documents the entries concern that a generation's reader has not applied. */
export async function findPending(
  pool: pg.Pool,
  generationId: number,
  kind: KindName,
  suspects: ReadonlySet<number>,
): Promise<PendingChanges> {
  // One row a place: parts that are followed together stand at the same.
  const { rows } = await pool.query<{ from: string; to: string; embeddingModel: string | null } & ReaderParts>(
    `select p.position::text as from, pg_current_snapshot()::text as to, g.embedding_model as "embeddingModel",
            p.parts as of, array_agg(p.part) as held
     from search_positions p join search_generations g on g.id = p.generation_id
     where g.id = $1 group by p.position::text, p.parts, g.embedding_model`,
    [generationId],
  );
  const pending = { ids: new Set<number>(), truncated: false, everything: false };
  for (const { from, to, embeddingModel, of, held } of rows) {
    const parts = { of, held };
    for await (const changes of readChanges(pool, { reader: kind, parts, from, to, chunkSize: 5_000 })) {
      const wanted = affectedDocuments({ kind, embeddingModel }, changes);
      pending.truncated ||= wanted.truncated;
      pending.everything ||= wanted.everything;
      addAmong(suspects, wanted.ids, pending.ids);
      for await (const page of dependantPages(pool, wanted.lookups, { parts })) addAmong(suspects, page, pending.ids);
    }
  }
  return pending;
}

function addAmong(suspects: ReadonlySet<number>, ids: readonly number[], found: Set<number>): void {
  for (const id of ids) if (suspects.has(id)) found.add(id);
}
