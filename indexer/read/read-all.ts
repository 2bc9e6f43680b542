import type pg from 'pg';
import Cursor from 'pg-cursor';
import type { DocumentChunk } from './document-chunk.ts';
import { flushWal } from './flush-wal.ts';
import {
  chunksOf,
  type DocumentSource,
  largeBytes,
  readDocuments,
  readLarge,
  rowsPerStatement,
  smallBodySql,
} from './read-by-id.ts';
import { isRowError } from './row-errors.ts';
import { isStandby, lendReader, type Reader } from './standby.ts';
import { nextVersion } from './versions.ts';

// Every document of a kind, through cursors. A cursor is as quick as Postgres is, and knows nothing of rows that can't
// be read; where it meets one, the next rows are read by id, which tells them apart.

/** A snapshot is left after so many rows or so much time, so that a long load does not hold vacuum back. */
const snapshotRows = 50_000;
const snapshotMs = 30_000;
/** Where nobody asks for the next chunk for so long, it is left, too: Elasticsearch takes nothing, and may not for hours. */
const idleMs = 1_000;
/** About how much one round trip to Postgres brings. */
const readBytes = 131_072;
const firstRead = 50;

/** Ids above one, up to another. */
export interface IdRange {
  readonly afterId: number;
  readonly upToId: number;
}

/** The highest id that a document can have: ids are numbers here. */
export const highestId = Number.MAX_SAFE_INTEGER;

/**
 * Every document of a kind in a range of ids, ascending, ready as text: nothing here parses them. In chunks of at most
 * 16 MiB or one larger document. Holds one connection of the pool while a snapshot is open. Throws the signal's reason
 * when it is aborted.
 */
export async function* readAllDocuments(
  pool: pg.Pool,
  source: DocumentSource,
  {
    afterId,
    upToId = highestId,
    signal,
  }: Partial<IdRange> & { readonly afterId: number; readonly signal: AbortSignal },
): AsyncGenerator<DocumentChunk, void, undefined> {
  for (let after: number | undefined = afterId; after !== undefined; ) {
    after = yield* oneSnapshot(pool, source, { afterId: after, upToId }, signal);
  }
}

/** Answers the id to go on from, or undefined when there are no more rows. */
async function* oneSnapshot(
  pool: pg.Pool,
  source: DocumentSource,
  range: IdRange,
  signal: AbortSignal,
): AsyncGenerator<DocumentChunk, number | undefined, undefined> {
  await using snapshot = await Snapshot.open(pool, source, range);
  const readLargeOne = async (id: number): Promise<DocumentChunk> => flushed(pool, await readLarge(pool, source, id));
  let after = range.afterId;
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
    if (!isRowError(error)) {
      if (signal.aborted || !snapshot.failed(error)) throw error;
      // On from there, on the primary.
      await snapshot.close('rollback');
      return after;
    }
    await snapshot.close('rollback');
    return yield* readNextIds(pool, source, { ...range, afterId: after });
  }
  return snapshot.isComplete ? undefined : after;
}

function lastIdOf({ documents, gone = [], unreadable = [] }: DocumentChunk): number {
  return documents.at(-1)?.[0] ?? gone.at(-1) ?? unreadable.at(-1)?.id ?? 0;
}

/** The next rows of a range, read by id. */
async function* readNextIds(
  pool: pg.Pool,
  source: DocumentSource,
  { afterId, upToId }: IdRange,
): AsyncGenerator<DocumentChunk, number | undefined, undefined> {
  const { rows } = await pool.query<[number]>({
    name: `ids-${source.kind}`,
    text: `select id from ${source.kind} where id > $1 and id <= $2 order by id limit ${rowsPerStatement}`,
    values: [afterId, upToId],
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

/** Rows as they were read; a document that is too large to come along is null. */
interface CursorRow {
  readonly id: number;
  readonly body: string | null;
}

/** One transaction with one cursor, closed once: at its end, after an error, or because nobody asks for more. */
class Snapshot implements AsyncDisposable {
  readonly version: number;
  readonly #client: pg.PoolClient;
  readonly #standby: Reader['standby'];
  readonly #cursor: Cursor<CursorRow>;
  readonly #untilMs = performance.now() + snapshotMs;
  #read = 0;
  #readBytes = 0;
  #ended = false;
  #closing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(version: number, { client, standby }: Reader, cursor: Cursor<CursorRow>) {
    this.version = version;
    this.#client = client;
    this.#standby = standby;
    this.#cursor = cursor;
  }

  /** The version is drawn before the snapshot is opened: a higher one never hides a state that is newer than its own. */
  static async open(pool: pg.Pool, source: DocumentSource, range: IdRange): Promise<Snapshot> {
    const version = await nextVersion(pool);
    const reader = await lendReader(pool, version);
    const { client, standby } = reader;
    try {
      await client.query('begin isolation level repeatable read, read only');
      if (standby === undefined) await flushWal(pool, client);
      // Its snapshot is taken here, of what it has replayed.
      else if (!(await isStandby(client))) throw new Error('it was promoted while it was read');
      // Compiling the plan of such a query costs a second each time and gains nothing on an index scan.
      await client.query('set local jit = off');
      const text = smallBodySql(source, 'id > $1 and id <= $3 order by id limit $2');
      const cursor = client.query(new Cursor<CursorRow>(text, [range.afterId, snapshotRows, range.upToId]));
      return new Snapshot(version, reader, cursor);
    } catch (error) {
      client.release(true);
      if (standby === undefined) throw error;
      standby.failed(error);
      return Snapshot.open(pool, source, range);
    }
  }

  get hasMore(): boolean {
    return !this.#ended && this.#read < snapshotRows && (this.#read === 0 || performance.now() < this.#untilMs);
  }

  /** Whether the table held no more rows than were read. */
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

  /** True where it was a standby's, which is left alone then. */
  failed(error: unknown): boolean {
    this.#standby?.failed(error);
    return this.#standby !== undefined;
  }

  closeWhenIdle(): void {
    this.#timer = setTimeout(() => void this.close('commit'), idleMs);
  }

  /** False where it was closed meanwhile. */
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
      // The connection is given back as broken, and whatever reads next tells why.
    } finally {
      // One that was left in the middle of a cursor is not given to anybody else.
      this.#client.release(broken);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.close('commit');
  }
}
