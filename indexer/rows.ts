import type pg from 'pg';
import Cursor from 'pg-cursor';

/** An entity's id and its document as JSON text. */
export type Row = readonly [id: number, document: string];

/** Rows of one snapshot, in ascending id; `version` is what their documents carry. */
export interface RowChunk {
  readonly version: number;
  readonly rows: readonly Row[];
  /** Ids whose rows are not there any more: their documents are to be deleted. */
  readonly gone?: readonly number[];
}

export interface RowsOptions {
  /** SQL that selects `id` and `body`, without conditions. */
  readonly documentSql: string;
  /** Only ids above this one. */
  readonly afterId: number;
  /** A snapshot is left after so many rows or so much time, so that a long load does not hold vacuum back. */
  readonly snapshotRows: number;
  readonly snapshotMs: number;
  /** About how much one round trip to Postgres brings. */
  readonly readBytes: number;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

const maxRowsPerRead = 1_000;
const firstRead = 50;

/**
 * Streams a kind's documents in ascending id, ready as text: nothing here parses them. One connection of the pool is
 * held until the end. Throws the signal's reason when it is aborted.
 *
 * Each snapshot's version is drawn before the snapshot is opened: a higher version then never hides a state that is
 * newer than its own.
 */
export async function* streamRows(pool: pg.Pool, options: RowsOptions): AsyncGenerator<RowChunk, void, undefined> {
  const client = await pool.connect();
  let broken = true;
  try {
    // Compiling the plan of such a query costs a second each time and gains nothing on an index scan.
    await client.query('set jit = off');
    for (let afterId: number | undefined = options.afterId; afterId !== undefined; ) {
      afterId = yield* oneSnapshot(client, afterId, options);
    }
    await client.query('reset jit');
    broken = false;
  } finally {
    // A connection that was left in the middle of a cursor is not given to anybody else.
    client.release(broken);
  }
}

/** Answers the id to go on from, or undefined when there are no more rows. */
async function* oneSnapshot(
  client: pg.PoolClient,
  afterId: number,
  options: RowsOptions,
): AsyncGenerator<RowChunk, number | undefined, undefined> {
  const version = await drawVersion(client);
  await client.query('begin isolation level repeatable read, read only');
  await client.query(flushSql);
  const deadlineMs = options.nowMs() + options.snapshotMs;
  const text = `select id, body from (${options.documentSql}) as documents where id > $1 order by id limit $2`;
  const cursor = client.query(new Cursor<Row>(text, [afterId, options.snapshotRows], { rowMode: 'array' }));
  let read = 0;
  let readBytes = 0;
  let lastId = afterId;
  let complete = false;
  while (read < options.snapshotRows && !complete && (read === 0 || options.nowMs() < deadlineMs)) {
    options.signal.throwIfAborted();
    const wanted = read === 0 ? firstRead : Math.round(options.readBytes / (readBytes / read + 1));
    const count = Math.max(1, Math.min(wanted, maxRowsPerRead));
    const rows = await cursor.read(count);
    complete = rows.length < count;
    const last = rows.at(-1);
    if (last === undefined) break;
    read += rows.length;
    for (const [, document] of rows) readBytes += document.length;
    lastId = last[0];
    yield { version, rows };
  }
  await cursor.close();
  await client.query('commit');
  return complete && read < options.snapshotRows ? undefined : lastId;
}

/**
 * Brings everything that is visible by now to Postgres's disk. Where commits are asynchronous, a crash could otherwise
 * take back a row, or the number of a version, that the index has been told already.
 */
export const flushSql = `select pg_logical_emit_message(false, 'entity-search', '', true)`;

/** The next external version. A statement of its own: the snapshot that it stands for is taken after it. */
export async function drawVersion(client: pg.Pool | pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ version: number }>(`select nextval('search_versions') as version`);
  const version = rows[0]?.version;
  if (version === undefined) throw new Error('Postgres answered no version.');
  return version;
}

/** The highest version that was drawn so far, or a new one: a document of a higher one shows a later state of its row. */
export async function lastVersion(pool: pg.Pool, how: 'draw' | 'read'): Promise<number> {
  if (how === 'draw') return drawVersion(pool);
  const { rows } = await pool.query<{ version: number }>('select last_value as version from search_versions');
  return rows[0]?.version ?? 0;
}
