import type pg from 'pg';
import type { Queryable } from '../../src/postgres/by-index.ts';
import type { Generation } from '../generations/generations.ts';
import { bisect } from './bisect.ts';
import { describeRowError, describeUnreadableRow, type UnreadableRow } from './row-errors.ts';
import { type DrawnVersion, nextVersion } from './versions.ts';

// Reads documents by id; every document sent to an index is read here. A version is drawn first; the statement that
// reads the documents has a later snapshot. The caller that passes a chunk to `_bulk` first flushes Postgres' WAL, or
// increments the write marker, which flushes it too. docs/indexing.md has the argument that depends on this order.

/** The parts of a generation that decide its documents. */
export type DocumentSource = Omit<Generation, 'number'>;

export type ReadDocument = readonly [id: number, document: string];

/** Documents read from rows, all with the same version, which was drawn before. */
export interface DocumentChunk extends DrawnVersion {
  readonly documents: readonly ReadDocument[];
  /** Ids without a row: their documents must be deleted. */
  readonly gone?: readonly number[];
  /** Rows that cannot become documents: dead letters. */
  readonly unreadable?: readonly UnreadableRow[];
}

/** A larger document is read by itself. */
export const largeBytes = 65_536;

/** Limits a statement's answer to 16 MiB. */
const rowsPerStatement = 256;
/** Postgres builds the next documents while the caller takes these. */
const statementsAtOnce = 2;
/**
 * Elasticsearch accepts no longer request (`http.max_content_length`), and a longer text would be held in memory twice.
 */
const largestBytes = 100_000_000;
/** Number of unreadable rows per statement for which the faulty column is determined, with a dozen statements. */
const explainedAtMost = 10;

/**
 * Reads the present state of documents by id, duplicates once, in chunks of at most 16 MiB or one larger document. No
 * transaction stays open while a chunk is being sent. An unreadable row is skipped and reported in its chunk.
 */
export async function* readDocuments(
  pool: pg.Pool,
  source: DocumentSource,
  ids: readonly number[],
): AsyncGenerator<DocumentChunk, void, undefined> {
  const distinct = [...new Set(ids)];
  const begun: Promise<Read>[] = [];
  try {
    for (let at = 0; at < distinct.length || begun.length > 0; ) {
      for (; at < distinct.length && begun.length < statementsAtOnce; at += rowsPerStatement) {
        const reading = readWithVersion(pool, source, distinct.slice(at, at + rowsPerStatement));
        // Handled where it is awaited, unless an earlier one has failed.
        reading.catch(() => undefined);
        begun.push(reading);
      }
      const read = await begun.shift();
      if (read !== undefined) yield* chunksOf(pool, source, read);
    }
  } finally {
    await Promise.allSettled(begun);
  }
}

async function readWithVersion(
  pool: pg.Pool,
  source: DocumentSource,
  ids: readonly number[],
  bytes = largeBytes,
): Promise<Read> {
  const drawn = await nextVersion(pool);
  return { ids, drawn, ...(await readBisecting(pool, source, ids, bytes)) };
}

/** Groups small documents, and yields large ones alone, in ascending id, as a load's resume point needs it. */
async function* chunksOf(
  pool: pg.Pool,
  source: DocumentSource,
  { ids, drawn, found, unreadable }: Read,
): AsyncGenerator<DocumentChunk, void, undefined> {
  const known = new Set([...found, ...unreadable].map(({ id }) => id));
  let rest = { gone: ids.filter((id) => !known.has(id)), unreadable };
  let documents: ReadDocument[] = [];
  const gathered = (): readonly DocumentChunk[] => {
    const chunk = { ...drawn, documents, ...rest };
    [documents, rest] = [[], { gone: [], unreadable: [] }];
    return chunk.documents.length + chunk.gone.length + chunk.unreadable.length > 0 ? [chunk] : [];
  };
  for (const { id, body } of found.sort((one, other) => one.id - other.id)) {
    if (body !== null) documents.push([id, body]);
    else {
      yield* gathered();
      yield await readLarge(pool, source, id);
    }
  }
  yield* gathered();
}

/** Reads one document that was too large to be read with others, whatever its size now. */
async function readLarge(pool: pg.Pool, source: DocumentSource, id: number): Promise<DocumentChunk> {
  const { drawn, found, unreadable } = await readWithVersion(pool, source, [id], largestBytes);
  const [row] = found;
  if (row === undefined) return { ...drawn, documents: [], gone: unreadable.length > 0 ? [] : [id], unreadable };
  if (row.body !== null) return { ...drawn, documents: [[id, row.body]] };
  const reason = `${source.kind} ${id}: the document has ${row.bytes} bytes, and the limit is ${largestBytes}. Shorten the row's texts.`;
  return { ...drawn, documents: [], unreadable: [{ id, reason }] };
}

interface FoundRow {
  readonly id: number;
  /** Null if it is larger than the limit. */
  readonly body: string | null;
  readonly bytes: number;
}

interface Read {
  readonly ids: readonly number[];
  /** Drawn before the rows were read. */
  readonly drawn: DrawnVersion;
  readonly found: FoundRow[];
  readonly unreadable: readonly UnreadableRow[];
}

/** Reads documents; if a row's data makes that fail, reads halves down to the rows at fault. */
async function readBisecting(
  database: Queryable,
  source: DocumentSource,
  ids: readonly number[],
  bytes: number,
): Promise<Pick<Read, 'found' | 'unreadable'>> {
  const found: FoundRow[] = [];
  const failing = await bisect(database, ids, async (client, some) => {
    found.push(...(await readRows(client, source, some, bytes)));
  });
  const unreadable: UnreadableRow[] = [];
  for (const [at, { item: id, error }] of failing.entries()) {
    const explained = at < explainedAtMost;
    const reason = explained
      ? await describeUnreadableRow(database, source, id, error)
      : describeRowError(source.kind, id, error);
    unreadable.push({ id, reason });
  }
  return { found, unreadable };
}

async function readRows(
  database: Queryable | pg.ClientBase,
  source: DocumentSource,
  ids: readonly number[],
  bytes: number,
): Promise<readonly FoundRow[]> {
  const { rows } = await database.query<FoundRow>({
    // Planned once a connection: planning takes longer than reading a few documents.
    name: `documents-${source.id}`,
    // "offset 0" keeps the document from being built once for its size and again for itself.
    text: `select id, case when bytes <= $2 then body end as body, bytes
           from (select id, body, octet_length(body) as bytes
                 from (select id, body from (${source.documentSql}) as documents where id = any($1::bigint[]) offset 0) as built
                 offset 0) as measured`,
    values: [ids, bytes],
  });
  return rows;
}
