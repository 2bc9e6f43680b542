import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { identitySql } from '../../src/postgres/identity.ts';
import type { Generation } from '../generations/generations.ts';
import type { GenerationState } from '../generations/model.ts';
import type { LogOffset } from './changes.ts';

/** A generation as its reader reads it at the beginning of a round. Snapshots are text. */
export interface ReaderState {
  readonly id: number;
  readonly kind: KindName;
  readonly number: number;
  readonly indexName: string;
  readonly documentSql: string;
  readonly embeddingModel: string | null;
  readonly state: GenerationState;
  readonly open: boolean;
  readonly position: string;
  /** The end of an interrupted earlier round beyond the position; null if there is none. */
  readonly progress: Progress | null;
  /** The position was not moved for a minute. */
  readonly resting: boolean;
  readonly sourceIdentity: string | null;
  readonly indexIdentity: string | null;
  readonly indexHistory: string | null;
  /** Time since the end of the last halt, if no comparison followed it; null if there was none. */
  readonly sinceHaltMs: number | null;
  readonly halted: string | null;
  /** True if documents without a row are removed at the end of the round. */
  readonly orphanSearchDue: boolean;
  /** The snapshot of this query: the round applies all that it sees. */
  readonly present: string;
  readonly presentIdentity: string;
  /** True if the position saw transactions that this database has not begun yet. */
  readonly ahead: boolean;
}

/**
 * A point on the way from a position to a later snapshot. Among the entries that `to` sees and the position does not,
 * those up to `place` are acknowledged. A reader that continues there must use the same snapshot.
 */
export interface Progress {
  readonly to: string;
  readonly place: LogOffset;
}

/** Returns undefined for a generation that does not exist or has no position. */
export async function readReaderState(pool: pg.Pool, generationId: number): Promise<ReaderState | undefined> {
  const { rows } = await pool.query<Omit<ReaderState, 'progress'> & StoredProgress>({
    name: 'reader-state',
    text: `
      select id, kind, number, index_name as "indexName", document_sql as "documentSql",
             embedding_model as "embeddingModel", state, ended_at is null as open, position::text as position,
             progress_to::text as "progressTo", progress_xid::text as "progressXid", progress_seq as "progressSeq",
             coalesce(position_at < now() - interval '1 minute', true) as resting,
             source_identity as "sourceIdentity", target_identity as "indexIdentity",
             target_history as "indexHistory", halted,
             (extract(epoch from clock_timestamp() - halt_ended_at) * 1000)::float8 as "sinceHaltMs",
             coalesce(sweep_at <= now(), false) as "orphanSearchDue",
             pg_current_snapshot()::text as present, ${identitySql} as "presentIdentity",
             pg_snapshot_xmax(position) > pg_snapshot_xmax(pg_current_snapshot()) as ahead
      from search_generations where id = $1 and position is not null`,
    values: [generationId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { progressTo, progressXid, progressSeq, ...state } = row;
  if (progressTo === null || progressXid === null || progressSeq === null) return { ...state, progress: null };
  return { ...state, progress: { to: progressTo, place: { xid: progressXid, seq: progressSeq } } };
}

interface StoredProgress {
  readonly progressTo: string | null;
  readonly progressXid: string | null;
  readonly progressSeq: number | null;
}

/** Another reader moved the position: this process no longer reads for the generation. */
export class PositionTakenError extends Error {
  constructor(indexName: string) {
    super(`Another reader has moved the position of ${indexName}.`);
    this.name = 'PositionTakenError';
  }
}

export interface Advance {
  /** The new position; the old one if only `progress` moves. */
  readonly to: string;
  /** The range acknowledged beyond it. */
  readonly progress: Progress | null;
  readonly changes: number;
  /** The longest life of a request: a position can be restored for this long. */
  readonly keepMs: number;
  /**
   * True if a later round must search for orphaned documents once more after `keepMs`: a late request may still write
   * one.
   */
  readonly orphanSearchAgain: boolean;
  /** True if this round searched for them. */
  readonly orphanSearchDone: boolean;
}

/**
 * Moves a position, after Elasticsearch has acknowledged everything up to it. Compare and set: throws
 * `PositionTakenError` if another reader has moved it. A position older than `keepMs` becomes the settled one: no
 * request from before it can still arrive. Returns the new state.
 */
export async function advancePosition(pool: pg.Pool, state: ReaderState, advance: Advance): Promise<ReaderState> {
  const { rows } = await pool.query<{ position: string }>({
    name: 'advance-position',
    text: `
      update search_generations g
      set position = $3::pg_snapshot, position_at = now(), changes_applied = changes_applied + $4,
          settled_position = case when rotate then coalesce(between_position, settled_position, position)
                                  else coalesce(settled_position, position) end,
          between_position = case when rotate then $3::pg_snapshot else between_position end,
          between_at = case when rotate then clock_timestamp() else between_at end,
          progress_to = $8::pg_snapshot, progress_xid = $9::xid8, progress_seq = $10::bigint,
          sweep_at = case when $6 then clock_timestamp() + $5 * interval '1 ms' when $7 then null else sweep_at end
      from (select id, coalesce(between_at < clock_timestamp() - $5 * interval '1 ms', true) as rotate
            from search_generations where id = $1) as old
      where g.id = old.id and g.position::text = $2
      returning g.position::text as position`,
    values: [
      state.id,
      state.position,
      advance.to,
      advance.changes,
      advance.keepMs,
      advance.orphanSearchAgain,
      advance.orphanSearchDone,
      advance.progress?.to ?? null,
      advance.progress?.place.xid ?? null,
      advance.progress?.place.seq ?? null,
    ],
  });
  const [moved] = rows;
  if (moved === undefined) throw new PositionTakenError(state.indexName);
  return { ...state, position: moved.position, progress: advance.progress };
}

/**
 * Goes back to the settled position, so that everything acknowledged within the longest life of a request is applied
 * again, and notes for which copies of the index. The next position to settle is ahead of it then, and these copies
 * have not acknowledged it.
 */
export async function rewindPosition(
  pool: pg.Pool,
  state: ReaderState,
  target: { readonly identity: string; readonly history: string },
): Promise<void> {
  const { rowCount } = await pool.query(
    `update search_generations
     set position = coalesce(settled_position, position), between_position = null, between_at = null,
         progress_to = null, progress_xid = null, progress_seq = null, target_identity = $3, target_history = $4
     where id = $1 and position::text = $2`,
    [state.id, state.position, target.identity, target.history],
  );
  if (rowCount !== 1) throw new PositionTakenError(state.indexName);
}

/** Stores the reason why a generation is not followed now, for `status`; null if it is. */
export async function recordLastError(pool: pg.Pool, generationId: number, text: string | null): Promise<void> {
  await pool.query('update search_generations set last_error = $2 where id = $1 and last_error is distinct from $2', [
    generationId,
    text,
  ]);
}

/** A generation that sync follows: one that is searched, or may be again. */
export type FollowedGeneration = Pick<Generation, 'id' | 'kind' | 'indexName'>;

export async function listFollowed(pool: pg.Pool, kinds: readonly KindName[]): Promise<readonly FollowedGeneration[]> {
  const { rows } = await pool.query<FollowedGeneration>(
    `select id, kind, index_name as "indexName" from search_generations
     where kind = any($1) and ended_at is null and position is not null and state in ('ready', 'live', 'retired')
     order by state = 'live' desc, id`,
    [kinds],
  );
  return rows;
}
