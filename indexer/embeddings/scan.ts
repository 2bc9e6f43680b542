import type pg from 'pg';
import { removeOrphans, type VectorTarget, type WaitingText, waitingTexts } from './vector-rows.ts';

/** The lock for making vectors of a kind: two processes would make each of them twice. */
export function vectorLock({ kind, model }: VectorTarget) {
  return { space: 'vectors', name: `${kind} ${model.key}` } as const;
}

export interface ScanOptions {
  readonly windowRows: number;
  readonly onOrphansRemoved: (vectors: number) => unknown;
}

/** One full scan of a kind, in the order of ids: for texts without a vector, and for vectors without an entity. */
export class VectorScan {
  readonly #pool: pg.Pool;
  readonly #target: VectorTarget;
  readonly #options: ScanOptions;
  #after: number | null = 0;

  constructor(pool: pg.Pool, target: VectorTarget, options: ScanOptions) {
    this.#pool = pool;
    this.#target = target;
    this.#options = options;
  }

  /**
   * Returns the pending texts of the next window that has any; undefined at the end. Also removes vectors of removed
   * entities.
   */
  async next(signal: AbortSignal): Promise<readonly WaitingText[] | undefined> {
    const { kind } = this.#target;
    while (this.#after !== null) {
      signal.throwIfAborted();
      const { rows } = await this.#pool.query<{ id: number }>(
        'select id from entity_ids where kind = $1 and id > $2 order by id offset $3 limit 1',
        [kind, this.#after, this.#options.windowRows - 1],
      );
      const upTo = rows[0]?.id ?? null;
      const window = { after: this.#after, upTo: upTo ?? Number.MAX_SAFE_INTEGER };
      const removed = await removeOrphans(this.#pool, kind, window);
      if (removed > 0) this.#options.onOrphansRemoved(removed);
      const texts = await waitingTexts(this.#pool, this.#target, window);
      this.#after = upTo;
      if (texts.length > 0) return texts;
    }
    return undefined;
  }
}
