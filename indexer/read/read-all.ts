import type pg from 'pg';
import Cursor from 'pg-cursor';
import { endWhenStopped } from '../../src/postgres/pool.ts';
import { flushWal } from './flush-wal.ts';
import {
  chunksOf,
  type DocumentChunk,
  type DocumentSource,
  largeBytes,
  readDocuments,
  readLarge,
  rowsPerStatement,
  smallBodySql,
} from './read-by-id.ts';
import { isRowError } from './row-errors.ts';
import { nextVersion } from './versions.ts';

// Reads every document of a kind through cursors. A cursor is as fast as Postgres, but fails as a whole at an
// unreadable row; the rows around it are then read by id, which isolates it.

/** A snapshot is closed after this many rows or this much time, so that a long load does not hold vacuum back. */
const snapshotRows = 50_000;
const snapshotMs = 30_000;
/** It is also closed if no chunk is requested for this long: Elasticsearch may accept nothing for hours. */
const idleMs = 1_000;
/** The approximate size of one round trip to Postgres. */
const readBytes = 131_072;
const firstRead = 50;

/**
 * Reads every document of a kind with an id above one, ascending, as text that is not parsed here. In chunks of at most
 * 16 MiB or one larger document. Holds one connection of the pool while a snapshot is open. Throws the signal's reason
 * when it is aborted.
 */
export async function* readAllDocuments(
  pool: pg.Pool,
  source: DocumentSource,
  { afterId, signal }: { readonly afterId: number; readonly signal: AbortSignal },
): AsyncGenerator<DocumentChunk, void, undefined> {
  for (let after: number | undefined = afterId; after !== undefined; ) {
    after = yield* oneSnapshot(pool, source, after, signal);
  }
}

/** Returns the id to continue from, or undefined at the end. */
async function* oneSnapshot(
  pool: pg.Pool,
  source: DocumentSource,
  afterId: number,
  signal: AbortSignal,
): AsyncGenerator<DocumentChunk, number | undefined, undefined> {
  await using snapshot = await Snapshot.open(pool, source, afterId);
  const readLargeOne = async (id: number): Promise<DocumentChunk> => flushed(pool, await readLarge(pool, source, id));
  let after = afterId;
  try {
    while (snapshot.hasMore) {
      signal.throwIfAborted();
      const found = await snapshot.read();
      for await (const chunk of chunksOf({ version: snapshot.version, found }, readLargeOne)) {
        snapshot.closeWhenIdle();
        yield chunk;
        after = lastIdOf(chunk);
        if (!(await snapshot.keepOpen())) return after;
      }
    }
  } catch (error) {
    if (!isRowError(error)) throw error;
    await snapshot.close('rollback');
    return yield* readNextIds(pool, source, after);
  }
  return snapshot.isComplete ? undefined : after;
}

function lastIdOf({ documents, gone = [], unreadable = [] }: DocumentChunk): number {
  return documents.at(-1)?.[0] ?? gone.at(-1) ?? unreadable.at(-1)?.id ?? 0;
}

/** Reads the next rows above an id, by id. */
async function* readNextIds(
  pool: pg.Pool,
  source: DocumentSource,
  afterId: number,
): AsyncGenerator<DocumentChunk, number | undefined, undefined> {
  const { rows } = await pool.query<[number]>({
    name: 'ids',
    text: `select id from entity_ids where kind = $1 and id > $2 order by id limit ${rowsPerStatement}`,
    values: [source.kind, afterId],
    rowMode: 'array',
  });
  const ids = rows.map(([id]) => id);
  for await (const chunk of readDocuments(pool, source, ids)) yield await flushed(pool, chunk);
  return ids.at(-1);
}

async function flushed(pool: pg.Pool, chunk: DocumentChunk): Promise<DocumentChunk> {
  await flushWal(pool);
  return chunk;
}

/** A row as read; a document that is too large is null. */
interface CursorRow {
  readonly id: number;
  readonly body: string | null;
}

/** One transaction with one cursor, closed once: at its end, after an error, or when the chunks are not requested. */
class Snapshot implements AsyncDisposable {
  readonly version: number;
  readonly #client: pg.PoolClient;
  readonly #cursor: Cursor<CursorRow>;
  readonly #untilMs = performance.now() + snapshotMs;
  #read = 0;
  #readBytes = 0;
  #ended = false;
  #closing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(version: number, client: pg.PoolClient, cursor: Cursor<CursorRow>) {
    this.version = version;
    this.#client = client;
    this.#cursor = cursor;
  }

  /** The version is drawn before the snapshot is opened: a higher one never hides a newer state. */
  static async open(pool: pg.Pool, source: DocumentSource, afterId: number): Promise<Snapshot> {
    const version = await nextVersion(pool);
    const client = await pool.connect();
    try {
      await client.query('begin isolation level repeatable read, read only');
      await flushWal(pool, client);
      // Compiling the plan of such a query costs a second each time and does not speed up an index scan.
      await client.query(`set local jit = off; ${endWhenStopped}`);
      const text = smallBodySql(source, 'id > $1 order by id limit $2');
      const cursor = client.query(new Cursor<CursorRow>(text, [afterId, snapshotRows]));
      return new Snapshot(version, client, cursor);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  get hasMore(): boolean {
    return !this.#ended && this.#read < snapshotRows && (this.#read === 0 || performance.now() < this.#untilMs);
  }

  /** True if the table held no more rows than were read. */
  get isComplete(): boolean {
    return this.#ended && this.#read < snapshotRows;
  }

  async read(): Promise<readonly CursorRow[]> {
    const wanted = this.#read === 0 ? firstRead : Math.round(readBytes / (this.#readBytes / this.#read + 1));
    const count = Math.max(1, Math.min(wanted, rowsPerStatement));
    const rows = await this.#cursor.read(count);
    this.#ended = rows.length < count;
    this.#read += rows.length;
    for (const { body } of rows) this.#readBytes += body?.length ?? largeBytes;
    return rows;
  }

  closeWhenIdle(): void {
    this.#timer = setTimeout(() => void this.close('commit'), idleMs);
  }

  /** Returns false if it was closed meanwhile. */
  async keepOpen(): Promise<boolean> {
    clearTimeout(this.#timer);
    await this.#closing;
    return this.#closing === undefined;
  }

  close(end: 'commit' | 'rollback'): Promise<void> {
    this.#closing ??= this.#close(end);
    return this.#closing;
  }

  async #close(end: 'commit' | 'rollback'): Promise<void> {
    let broken = true;
    try {
      await this.#cursor.close();
      await this.#client.query(end);
      broken = false;
    } catch {
      // The connection is returned as broken, and the next read reports the reason.
    } finally {
      // A connection in the middle of a cursor is not reused.
      this.#client.release(broken);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.close('commit');
  }
}
