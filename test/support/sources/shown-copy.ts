import type pg from 'pg';
import { createEntityStore } from '../../../src/postgres/records.ts';
import type { RemovalPlace } from '../../../src/records/ports.ts';
import type { TestIndices } from '../engines/indices.ts';

// The copy of a consumer: ids that searches list, less those that GET /removals lists.

/** Kinds that the views of a random schema show. */
export const copiedKinds = ['companies', 'people'] as const;
type Copied = (typeof copiedKinds)[number];

interface Found {
  readonly id: number;
  readonly name: string;
}

/** Entities as the index of a kind has them, by id. */
export async function readDocuments({ client, prefix }: TestIndices, kind: Copied): Promise<readonly Found[]> {
  const index = `${prefix}${kind}`;
  await client.indices.refresh({ index });
  const { hits } = await client.search<Found>({ index, size: 5_000, _source: ['id', 'name'], sort: [{ id: 'asc' }] });
  return hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [_source]));
}

export class ShownCopy {
  readonly kind: Copied;
  readonly #pool: pg.Pool;
  readonly #indices: TestIndices;
  readonly #ids = new Set<number>();
  #place: RemovalPlace | null = null;

  constructor(kind: Copied, pool: pg.Pool, indices: TestIndices) {
    this.kind = kind;
    this.#pool = pool;
    this.#indices = indices;
  }

  get ids(): readonly number[] {
    return [...this.#ids].sort((a, b) => a - b);
  }

  /** As the documentation of the API has it: the first cursor, then a list; later a list, then removals. */
  async poll(): Promise<void> {
    if (this.#place === null) this.#place = (await this.#read()).next;
    for (const { id } of await readDocuments(this.#indices, this.kind)) this.#ids.add(id);
    for (let hasMore = true; hasMore; ) {
      const page = await this.#read();
      for (const { id } of page.removals) this.#ids.delete(id);
      this.#place = page.next;
      hasMore = page.hasMore;
    }
  }

  async #read() {
    const fetched = await createEntityStore(this.#pool, 10_000).removals(this.kind, this.#place, 5);
    if (!fetched.ok) throw new Error('removals were not read', { cause: fetched.cause });
    if (fetched.value === null) throw new Error('the cursor is unknown, although the database never went back');
    return fetched.value;
  }
}
