import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { isoTimestamp } from '../../src/lib/iso-timestamp.ts';

// Documents that Elasticsearch would not take. A letter is about one document of one generation; it is cleared when
// that document is taken after all, or its row is gone.

/** A letter as it is shown. Times are ISO 8601 in UTC. */
export interface StoredLetter {
  readonly kind: KindName;
  readonly generation: string;
  readonly generationId: number;
  readonly id: number;
  readonly reason: string;
  readonly attempts: number;
  readonly firstAt: string;
  readonly lastAt: string;
  /** As it was sent; undefined unless it was asked for. */
  readonly document?: string | null;
}

export interface LetterFilter {
  readonly kinds: readonly KindName[];
  readonly ids: readonly number[] | undefined;
  readonly limit: number;
  readonly documents: boolean;
}

/** Letters of generations whose index is there, the latest first. */
export async function listDeadLetters(pool: pg.Pool, filter: LetterFilter): Promise<readonly StoredLetter[]> {
  const { rows } = await pool.query<StoredLetter>(
    `select g.kind, g.index_name as generation, g.id as "generationId", l.id, l.reason, l.attempts,
            ${isoTimestamp('l.first_at', 'seconds')} as "firstAt", ${isoTimestamp('l.last_at', 'seconds')} as "lastAt"
            ${filter.documents ? ', l.document' : ''}
     from search_dead_letters l join search_generations g on g.id = l.generation_id
     where g.ended_at is null and g.kind = any($1) and ($2::bigint[] is null or l.id = any($2))
     order by l.last_at desc, g.kind, l.id limit $3`,
    [filter.kinds, filter.ids ?? null, filter.limit],
  );
  return rows;
}

/** Forgets letters of documents that were taken after all, in the state that the letter is about or a later one. */
export async function clearDeadLetters(
  pool: pg.Pool,
  generationId: number,
  taken: readonly { readonly id: number; readonly version: number }[],
): Promise<void> {
  if (taken.length === 0) return;
  await pool.query({
    name: 'clear-letters',
    text: `delete from search_dead_letters l using unnest($2::bigint[], $3::bigint[]) as taken (id, version)
           where l.generation_id = $1 and l.id = taken.id and l.version <= taken.version`,
    values: [generationId, taken.map(({ id }) => id), taken.map(({ version }) => version)],
  });
}

/** Forgets letters without sending anything. Answers how many there were. */
export async function discardDeadLetters(
  pool: pg.Pool,
  kinds: readonly KindName[],
  ids: readonly number[] | undefined,
): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from search_dead_letters l using search_generations g
     where g.id = l.generation_id and g.kind = any($1) and ($2::bigint[] is null or l.id = any($2))`,
    [kinds, ids ?? null],
  );
  return rowCount ?? 0;
}
