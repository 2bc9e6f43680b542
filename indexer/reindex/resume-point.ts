import type pg from 'pg';
import type { LoadCounts } from '../generations/model.ts';
import type { Batch } from '../write/batches.ts';

/** An id up to which every row became an acknowledged document or a dead letter, and the counts up to there. */
export interface ResumePoint {
  readonly id: number;
  readonly rows: number;
  readonly bytes: number;
}

/** Reads the saved point of an earlier run, and counts the generation's dead letters. */
export async function readResumePoint(
  pool: pg.Pool,
  generation: { readonly id: number },
): Promise<ResumePoint & Pick<LoadCounts, 'deadLetters'>> {
  const { rows } = await pool.query<ResumePoint & Pick<LoadCounts, 'deadLetters'>>(
    `select coalesce(resume_id, 0) as id, rows_read as rows, bytes,
            (select count(*)::int from search_dead_letters where generation_id = $1) as "deadLetters"
     from search_generations where id = $1`,
    [generation.id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`Generation ${generation.id} is not in search_generations.`);
  return row;
}

/** Saves the progress of a load. Never moves the point back: saves may overtake each other. */
export async function saveResumePoint(
  pool: pg.Pool,
  generation: { readonly id: number },
  { id, rows, bytes }: ResumePoint,
): Promise<void> {
  await pool.query(
    `update search_generations set resume_id = $2, rows_read = $3, bytes = $4, worked_at = clock_timestamp()
     where id = $1 and state = 'loading' and coalesce(resume_id, 0) <= $2`,
    [generation.id, id, rows, bytes],
  );
}

/**
 * Tracks how far a load is acknowledged. Batches begin in ascending id of their documents and may end in any order. A
 * deletion is of a row that vanished while its page was read. It may precede documents with lower ids, so it does not
 * move the resume point; the change log has it.
 */
export class LoadTracker {
  readonly #open: (ResumePoint & { isAcknowledged: boolean })[] = [];
  #point: ResumePoint;
  /** Unreadable rows read after the last batch began: they count with the next one. */
  #unreadable = 0;
  #settled: { readonly rows: number; readonly bytes: number };

  constructor(from: ResumePoint) {
    this.#point = from;
    this.#settled = from;
  }

  get point(): ResumePoint {
    return this.#point;
  }

  /** All that is acknowledged, also beyond the point. */
  get settled(): { readonly rows: number; readonly bytes: number } {
    return this.#settled;
  }

  addUnreadable(rows: number): void {
    this.#unreadable += rows;
    this.#settled = { ...this.#settled, rows: this.#settled.rows + rows };
  }

  /** Returns a function to call when the batch is acknowledged. */
  begin({ items, body }: Pick<Batch, 'items' | 'body'>): () => void {
    const ids = items.flatMap(({ id, documentStart, end }) => (documentStart < end ? [id] : []));
    const documents = ids.length;
    const bytes = body.length;
    const begun = { id: ids.at(-1) ?? 0, rows: documents + this.#unreadable, bytes, isAcknowledged: false };
    this.#unreadable = 0;
    this.#open.push(begun);
    return () => {
      begun.isAcknowledged = true;
      this.#settled = { rows: this.#settled.rows + documents, bytes: this.#settled.bytes + bytes };
      this.#advance();
    };
  }

  #advance(): void {
    for (let first = this.#open[0]; first?.isAcknowledged; first = this.#open[0]) {
      this.#open.shift();
      const { id, rows, bytes } = this.#point;
      this.#point = { id: Math.max(id, first.id), rows: rows + first.rows, bytes: bytes + first.bytes };
    }
  }
}
