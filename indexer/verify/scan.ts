import type pg from 'pg';
import { createSerialQueue } from '../../src/lib/concurrency/serial-queue.ts';
import { type DocumentFingerprint, isSameDocument } from './document-fingerprint.ts';
import {
  countByKey,
  type IdRange,
  type IndexedHash,
  readDocumentsWithoutId,
  readIndexedDocuments,
  readIndexedHashes,
} from './indexed-documents.ts';
import { readRowFingerprints } from './row-fingerprints.ts';
import type { VerifyContext } from './verify-context.ts';

// Compares all rows with all documents: ids are cut into windows of a number of rows, a few windows are compared at the
// same time, and a window is forgotten afterwards. Differences are checked in batches during the scan, so memory holds
// only the current windows and one batch.

export interface ScanProgress {
  readonly rows: number;
  readonly documents: number;
  /** Suspects so far; most of them are in flight. */
  readonly suspects: number;
}

export interface ScanResult extends ScanProgress {
  /** True if every row and every document was compared. Otherwise the result is not about the whole. */
  readonly complete: boolean;
}

export interface ScanOptions {
  readonly onProgress?: ((progress: ScanProgress) => void) | undefined;
  /**
   * Receives `_id`s with a difference, which proves nothing yet because both sides may be changing. Called with about
   * `suspectsAtOnce` at most, never twice at the same time. Returns false to stop the scan.
   */
  readonly check: (suspects: ReadonlySet<string>) => Promise<boolean>;
}

/** Compares all rows with all documents, and has differences checked. */
export async function scanDocuments(context: VerifyContext, options: ScanOptions): Promise<ScanResult> {
  const run = new Scan(context, options);
  await run.windows();
  return run.result();
}

class Scan {
  readonly #context: VerifyContext;
  readonly #options: ScanOptions;
  readonly #windowRows: number;
  readonly #checking = createSerialQueue();
  #keys = new Set<string>();
  #suspects = 0;
  #stopped = false;
  /** The index holds more documents without an `id` than one page. */
  #moreNameless = false;
  #rows = 0;
  #documents = 0;
  #after: number | undefined = 0;
  readonly #cutting = createSerialQueue();

  constructor(context: VerifyContext, options: ScanOptions) {
    this.#context = context;
    this.#options = options;
    this.#windowRows = context.deep ? context.config.deepWindowRows : context.config.windowRows;
  }

  async windows(): Promise<void> {
    const { config } = this.#context;
    const nameless = await readDocumentsWithoutId(this.#context);
    this.#moreNameless = nameless.more;
    for (const key of nameless.keys) this.#suspect(key);
    const failing = new AbortController();
    const workers = Array.from({ length: config.windowsAtOnce }, async () => {
      try {
        await this.#work(failing.signal);
      } catch (error) {
        failing.abort(error);
      }
    });
    await Promise.all(workers);
    failing.signal.throwIfAborted();
    if (!this.#stopped) await this.#checkFrom(1);
  }

  result(): ScanResult {
    return { ...this.#progress(), complete: !this.#stopped && !this.#moreNameless };
  }

  #progress(): ScanProgress {
    return { rows: this.#rows, documents: this.#documents, suspects: this.#suspects };
  }

  /** Checks the suspects, one batch at a time, when there are enough; later finders wait for that. */
  async #checkFrom(count: number): Promise<void> {
    if (this.#keys.size < count) return;
    await this.#checking(async () => {
      if (this.#stopped || this.#keys.size < count) return;
      const keys = this.#keys;
      this.#keys = new Set();
      if (!(await this.#options.check(keys))) this.#stopped = true;
    });
  }

  async #work(failed: AbortSignal): Promise<void> {
    const connection = await openConnection(this.#context.pool);
    let broken = true;
    try {
      for (;;) {
        this.#context.signal.throwIfAborted();
        if (failed.aborted || this.#stopped) break;
        const range = await this.#cutting(() => this.#nextRange(connection));
        if (range === undefined) break;
        await this.#compare(connection, range);
        this.#options.onProgress?.(this.#progress());
      }
      broken = false;
    } finally {
      await closeConnection(connection, broken);
    }
  }

  /**
   * Returns the next window, cut by one worker at a time. The last one has no upper end: it includes ids that only the
   * index has.
   */
  async #nextRange(connection: pg.PoolClient): Promise<IdRange | undefined> {
    const after = this.#after;
    if (after === undefined) return undefined;
    const { rows } = await connection.query<{ id: number }>(
      'select id from entity_ids where kind = $1 and id > $2 order by id offset $3 limit 1',
      [this.#context.generation.kind, after, this.#windowRows - 1],
    );
    const upTo = rows[0]?.id;
    this.#after = upTo;
    // Ids begin at 1; lower ones in the index are not ours.
    return { after: after === 0 ? Number.MIN_SAFE_INTEGER : after, upTo };
  }

  async #compare(connection: pg.PoolClient, range: IdRange): Promise<void> {
    const [condition, values] =
      range.upTo === undefined ? ['id > $1', [range.after]] : ['id > $1 and id <= $2', [range.after, range.upTo]];
    const pages = this.#context.deep ? this.#documentPages(range) : this.#hashPages(range);
    // Reads both sides at once: the index's first page while Postgres builds its documents.
    const first = pages.next();
    const reading = readRowFingerprints(connection, this.#context, condition, values);
    const [rows] = await Promise.all([reading, first]);
    this.#rows += rows.size;
    const equal: string[] = [];
    for (let page = await first; !page.done; page = await pages.next()) {
      for (const [id, key, fingerprint] of page.value) {
        this.#documents += 1;
        const expected = rows.get(id);
        // Deleted, so that a second document of the same id is extra, and the remaining ones are missing.
        if (expected !== undefined && isSameDocument(expected, fingerprint) && key === String(id)) {
          rows.delete(id);
          equal.push(key);
        } else this.#suspect(key);
      }
      await this.#checkFrom(this.#context.config.suspectsAtOnce);
      if (this.#stopped) return;
    }
    for (const id of rows.keys()) this.#suspect(String(id));
    await this.#suspectMisnamed(equal);
    await this.#checkFrom(this.#context.config.suspectsAtOnce);
  }

  /** A page of hashes has no `_id`s: documents that seem equal must exist under their own. */
  async #suspectMisnamed(equal: readonly string[]): Promise<void> {
    if (this.#context.deep || equal.length === 0) return;
    if ((await countByKey(this.#context, equal)) === equal.length) return;
    for (const key of equal) this.#suspect(key);
  }

  #suspect(key: string): void {
    this.#keys.add(key);
    this.#suspects += 1;
  }

  async *#hashPages(range: IdRange): AsyncGenerator<Iterable<Candidate>, void> {
    for await (const page of readIndexedHashes(this.#context, range)) yield candidatesOf(page);
  }

  async *#documentPages(range: IdRange): AsyncGenerator<Iterable<Candidate>, void> {
    for await (const page of readIndexedDocuments(this.#context, range, this.#windowRows)) {
      yield page.map((found) => [found.id ?? 0, found.key, found] as const);
    }
  }
}

type Candidate = readonly [id: number, key: string, fingerprint: DocumentFingerprint];

function* candidatesOf(hits: readonly IndexedHash[]): Generator<Candidate, void> {
  for (const { sort } of hits) yield [sort[0], String(sort[0]), { storedHash: sort[1] ?? '', contentHash: '' }];
}

async function openConnection(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  try {
    // Compiling costs a second per window; parallel windows already use the processors.
    await client.query('set jit = off');
    await client.query('set max_parallel_workers_per_gather = 0');
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** @param broken true after a failure: the connection is not reused */
async function closeConnection(client: pg.PoolClient, broken: boolean): Promise<void> {
  let unfit = true;
  try {
    if (!broken) {
      await client.query('reset jit; reset max_parallel_workers_per_gather');
      unfit = false;
    }
  } finally {
    client.release(unfit);
  }
}
