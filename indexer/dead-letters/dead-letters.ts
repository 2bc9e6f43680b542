import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { isoTimestamp } from '../../src/lib/iso-timestamp.ts';
import { readValue } from '../../src/postgres/statements.ts';
import type { DeadLetter } from '../write/bulk.ts';

// Documents that Elasticsearch rejected. A letter is about one document of one generation; it is cleared when the
// document is accepted, or its row is gone.

/** A letter for display. Times are ISO 8601 in UTC. */
export interface StoredLetter {
  readonly kind: KindName;
  readonly generation: string;
  readonly generationId: number;
  readonly id: number;
  readonly reason: string;
  readonly attempts: number;
  readonly firstAt: string;
  readonly lastAt: string;
  /** As it was sent; undefined unless it was requested. */
  readonly document?: string | null;
}

export interface LetterFilter {
  readonly kinds: readonly KindName[];
  readonly ids: readonly number[] | undefined;
  readonly limit: number;
  readonly documents: boolean;
}

/** Lists letters of generations that are followed, the latest first: others do not notice a corrected row. */
export async function listDeadLetters(pool: pg.Pool, filter: LetterFilter): Promise<readonly StoredLetter[]> {
  const { rows } = await pool.query<StoredLetter>(
    `select g.kind, g.index_name as generation, g.id as "generationId", l.id, l.reason, l.attempts,
            ${isoTimestamp('l.first_at', 'seconds')} as "firstAt", ${isoTimestamp('l.last_at', 'seconds')} as "lastAt"
            ${filter.documents ? ', l.document' : ''}
     from search_dead_letters l join search_generations g on g.id = l.generation_id
     where g.ended_at is null and g.position is not null and g.kind = any($1) and ($2::bigint[] is null or l.id = any($2))
     order by l.last_at desc, g.kind, l.id limit $3`,
    [filter.kinds, filter.ids ?? null, filter.limit],
  );
  return rows;
}

/** Stores rejected documents; replaces a letter of the same row, unless that is about a later state. */
export async function storeDeadLetters(
  pool: pg.Pool,
  generation: { readonly id: number },
  letters: readonly DeadLetter[],
): Promise<void> {
  await pool.query(
    `insert into search_dead_letters (generation_id, id, reason, document, version)
     select $1, letter.* from unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) as letter
     on conflict (generation_id, id) do update
     set reason = excluded.reason, document = excluded.document, version = excluded.version,
         attempts = search_dead_letters.attempts + 1, last_at = now()
     where search_dead_letters.version <= excluded.version`,
    [
      generation.id,
      letters.map((letter) => letter.id),
      letters.map((letter) => letter.reason),
      letters.map((letter) => letter.document),
      letters.map((letter) => letter.version),
    ],
  );
}

export function countDeadLetters(pool: pg.Pool, generation: { readonly id: number }): Promise<number> {
  return readValue(pool, 'select count(*) from search_dead_letters where generation_id = $1', [generation.id]);
}

/** Returns the documents, among some of a generation, that have a dead letter. */
export async function idsWithDeadLetters(
  pool: pg.Pool,
  generationId: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await pool.query<{ id: number }>(
    'select id from search_dead_letters where generation_id = $1 and id = any($2::bigint[])',
    [generationId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Deletes letters of documents that were accepted, in the state of the letter or a later one. */
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

/**
 * Deletes letters up to a version, except of documents that differ from the tables: the rows of the others were made
 * into documents since.
 */
export async function clearEqualLetters(
  pool: pg.Pool,
  generationId: number,
  upTo: number,
  differing: readonly number[],
): Promise<void> {
  await pool.query(
    'delete from search_dead_letters where generation_id = $1 and version <= $2 and id <> all($3::bigint[])',
    [generationId, upTo, differing],
  );
}
