import type pg from 'pg';
import type { KindName } from '../../../../src/kinds/kind.ts';
import type { Elasticsearch } from '../world/elasticsearch.ts';

// An independent comparison, which uses nothing of indexer/, so that it can check its results.

export interface Compared {
  /** The reason if the index could not be read at all. */
  readonly unreadable?: string;
  readonly missing: readonly number[];
  readonly extra: readonly string[];
  readonly stale: readonly number[];
  /** Rows that the generation's SQL can't make a document of. */
  readonly broken: readonly number[];
}

const pageSize = 1_000;

/** Compares every document with every row, whole contents. Call it while there are no writers. */
export async function compareIndex(
  client: pg.ClientBase,
  elasticsearch: Elasticsearch,
  {
    kind,
    indexName,
    documentSql,
  }: { readonly kind: KindName; readonly indexName: string; readonly documentSql: string },
): Promise<Compared> {
  const { expected, broken } = await expectedDocuments(client, kind, documentSql);
  const refreshed = await elasticsearch('POST', `/${indexName}/_refresh`);
  const found = await elasticsearch<Hits>('POST', `/${indexName}/_search`, { size: pageSize });
  if (refreshed.status !== 200 || found.status !== 200 || found.body._shards.failed > 0) {
    const unreadable = `its index answers ${refreshed.status} and ${found.status}`;
    return { unreadable, missing: [], extra: [], stale: [], broken };
  }
  const held = new Map(found.body.hits.hits.map(({ _id, _source }) => [_id, JSON.stringify(_source)]));
  const known = new Set([...expected.keys(), ...broken].map(String));
  return {
    missing: [...expected.keys()].filter((id) => !held.has(String(id))),
    extra: [...held.keys()].filter((key) => !known.has(key)),
    stale: [...expected]
      .filter(([id, body]) => held.has(String(id)) && held.get(String(id)) !== body)
      .map(([id]) => id),
    broken,
  };
}

interface Hits {
  readonly _shards: { readonly failed: number };
  readonly hits: { readonly hits: readonly { readonly _id: string; readonly _source: object }[] };
}

/** The documents of the rows, and the rows without one, queried one by one if one makes the others fail. */
export async function expectedDocuments(
  client: pg.ClientBase,
  kind: KindName,
  documentSql: string,
): Promise<{ readonly expected: ReadonlyMap<number, string>; readonly broken: readonly number[] }> {
  const expected = new Map<number, string>();
  const broken: number[] = [];
  const read = async (condition: string, values: readonly unknown[]): Promise<void> => {
    const text = `select id, body from (${documentSql}) as documents ${condition}`;
    const { rows } = await client.query<{ id: number; body: string }>(text, [...values]);
    for (const { id, body } of rows) expected.set(Number(id), JSON.stringify(JSON.parse(body)));
  };
  try {
    await read('', []);
  } catch {
    expected.clear();
    const { rows } = await client.query<{ id: string }>(`select id from ${kind} order by id`);
    for (const { id } of rows) await read('where id = $1', [id]).catch(() => broken.push(Number(id)));
  }
  return { expected, broken };
}

export function isEqual({ unreadable, missing, extra, stale }: Compared): boolean {
  return unreadable === undefined && missing.length + extra.length + stale.length === 0;
}

export function comparedText({ unreadable, missing, extra, stale, broken }: Compared): string {
  if (unreadable !== undefined) return unreadable;
  const parts = Object.entries({ missing, extra, stale, broken }).filter(([, ids]) => ids.length > 0);
  return parts.length === 0 ? 'equal' : parts.map(([name, ids]) => `${name} ${ids.join(',')}`).join('; ');
}
