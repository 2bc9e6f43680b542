import { createHash } from 'node:crypto';
import type pg from 'pg';
import { z } from 'zod';
import { type Cluster, ClusterRequestError, requestCluster } from '../../src/elasticsearch/admin.ts';
import type { StoredGeneration } from '../generations/stored-generation.ts';
import { bisect } from '../write/documents.ts';
import { isRowError } from '../write/row-errors.ts';

// The two sides of a comparison: what the tables say a document is, and what the index holds.

/** A document on one side. */
export interface DocumentDigest {
  readonly hash: string;
  /** A digest of the whole document, where whole documents are compared; else ''. */
  readonly digest: string;
  /** A row that can't be made into a document: equal to nothing. */
  readonly unreadable?: true;
}

/** What both sides are read with. */
export interface VerifyContext {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly generation: StoredGeneration;
  /** Compare whole documents, not only the hashes that they carry. */
  readonly deep: boolean;
}

/** Whether a generation's documents carry a hash; those of earlier versions do not. */
export function hasDocumentHash(generation: StoredGeneration): boolean {
  return / as hash,\n/.test(generation.documentSql);
}

const unreadableSide: DocumentDigest = { hash: 'unreadable', digest: '', unreadable: true };

/**
 * Rows as documents by id, in no order. The condition is SQL over `id` with `$1`, `$2` …; one connection, and one
 * snapshot unless a row can't be read.
 */
export async function readRowDigests(
  client: pg.PoolClient,
  sides: VerifyContext,
  condition: string,
  values: readonly unknown[],
): Promise<Map<number, DocumentDigest>> {
  try {
    return await readDigests(client, sides, condition, values);
  } catch (error) {
    if (!isRowError(error)) throw error;
  }
  const { rows } = await client.query<[number]>({
    text: `select id from ${sides.generation.kind} where ${condition}`,
    values: [...values],
    rowMode: 'array',
  });
  const found = new Map<number, DocumentDigest>();
  const ids = rows.map(([id]) => id);
  const failing = await bisect(ids, async (some) => {
    for (const [id, side] of await readDigests(client, sides, 'id = any($1::bigint[])', [some])) found.set(id, side);
  });
  for (const { id } of failing) found.set(id, unreadableSide);
  return found;
}

async function readDigests(
  client: pg.PoolClient,
  { generation, deep }: VerifyContext,
  condition: string,
  values: readonly unknown[],
): Promise<Map<number, DocumentDigest>> {
  if (deep) return readWhole(client, generation, condition, values);
  const { rows } = await client.query<[number, string]>({
    text: `select id, hash from (${generation.documentSql}) as documents where ${condition}`,
    values: [...values],
    rowMode: 'array',
  });
  return new Map(rows.map(([id, hash]) => [id, { hash, digest: '' }]));
}

/** A larger document is read by itself, so that a window of them is bounded by bytes. */
const largeBytes = 65_536;

async function readWhole(
  client: pg.PoolClient,
  { documentSql }: StoredGeneration,
  condition: string,
  values: readonly unknown[],
): Promise<Map<number, DocumentDigest>> {
  const { rows } = await client.query<[number, string | null]>({
    // "offset 0" keeps the document from being built once for its size and again for itself.
    text: `select id, case when octet_length(body) <= ${largeBytes} then body end
           from (select id, body from (${documentSql}) as documents where ${condition} offset 0) as built`,
    values: [...values],
    rowMode: 'array',
  });
  const sides = new Map<number, DocumentDigest>();
  for (const [id, small] of rows) {
    const body = small ?? (await readBody(client, documentSql, id));
    // Removed in between: then it has no row.
    if (body !== undefined) sides.set(id, sideOf(JSON.parse(body)));
  }
  return sides;
}

async function readBody(client: pg.PoolClient, documentSql: string, id: number): Promise<string | undefined> {
  const text = `select body from (${documentSql}) as documents where id = $1`;
  return (await client.query<{ body: string }>(text, [id])).rows[0]?.body;
}

/** Which of some rows can't be made into documents: their hashes may well be readable, being made of less. */
export async function findUnreadable(
  client: pg.PoolClient,
  { generation }: VerifyContext,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const text = `select count(octet_length(body)) from (${generation.documentSql}) as documents where id = any($1::bigint[])`;
  const failing = await bisect(ids, async (some) => {
    await client.query(text, [some]);
  });
  return new Set(failing.map(({ id }) => id));
}

const document = z.looseObject({ hash: z.string().optional() });

/** The same for equal documents, however their JSON is spaced. Both sides keep the order of keys. */
function sideOf(source: unknown): DocumentDigest {
  const parsed = document.safeParse(source);
  const digest = createHash('sha256').update(JSON.stringify(source)).digest('base64');
  return { hash: parsed.data?.hash ?? '', digest };
}

const foundPage = z.object({
  hits: z
    .object({ hits: z.array(z.object({ sort: z.tuple([z.int(), z.string().nullable(), z.int()]) })).default([]) })
    .default({ hits: [] }),
});
const foundDocuments = z.object({
  hits: z
    .object({
      hits: z
        .array(
          z.object({
            _id: z.string(),
            _version: z.number().optional(),
            _source: z.unknown().optional(),
            fields: z.object({ id: z.array(z.number()).optional(), hash: z.array(z.string()).optional() }).optional(),
            sort: z.array(z.unknown()).optional(),
          }),
        )
        .default([]),
    })
    .default({ hits: [] }),
});

/** A document of the index. */
export interface Found extends DocumentDigest {
  readonly key: string;
  /** Its field `id`; undefined where it has none. */
  readonly id: number | undefined;
  readonly version: number;
}

/** Ids above the first and up to the second; undefined: without an upper end. */
export interface IdRange {
  readonly after: number;
  readonly upTo: number | undefined;
}

const pageSize = 10_000;

/** Ids and hashes of a span, from doc values alone: no stored document is touched. */
export async function* readIndexedHashes(
  sides: VerifyContext,
  span: IdRange,
): AsyncGenerator<readonly (readonly [number, string])[], void> {
  let after: readonly unknown[] | undefined;
  for (;;) {
    const body = {
      size: pageSize,
      query: rangeOf(span),
      sort: [{ id: 'asc' }, { hash: 'asc' }, { _seq_no: 'asc' }],
      track_total_hits: false,
      _source: false,
      stored_fields: '_none_',
      ...(after === undefined ? {} : { search_after: after }),
    };
    const answer = await search(sides, body, 'hits.hits.sort');
    const hits = foundPage.parse(answer).hits.hits;
    yield hits.map(({ sort: [id, hash] }) => [id, hash ?? ''] as const);
    if (hits.length < pageSize) return;
    after = hits.at(-1)?.sort;
  }
}

/** Whole documents of a span. */
export async function* readIndexedDocuments(
  sides: VerifyContext,
  span: IdRange,
  atMost: number,
): AsyncGenerator<readonly Found[], void> {
  let after: readonly unknown[] | undefined;
  let size = atMost;
  for (;;) {
    const body = {
      ...documentsBody(size, sides.deep),
      query: rangeOf(span),
      // Two documents may have the same `id`: each is found only where the order tells them apart.
      sort: [{ id: 'asc' }, { _seq_no: 'asc' }],
      ...(after === undefined ? {} : { search_after: after }),
    };
    const found = await unlessTooLong(findDocuments(sides, body), size > 1);
    if (found === undefined) {
      size = Math.ceil(size / 4);
      continue;
    }
    yield found.documents;
    if (found.documents.length < size) return;
    after = found.last;
  }
}

/** Undefined where the answer is longer than this process reads, and a shorter one may be asked for. */
async function unlessTooLong<Result>(asked: Promise<Result>, isDivisible: boolean): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isDivisible && error instanceof ClusterRequestError && error.tooLong) return undefined;
    throw error;
  }
}

/** How many documents have one of these `_id`s. */
export async function countByKey({ cluster, generation }: VerifyContext, keys: readonly string[]): Promise<number> {
  const path = `/${encodeURIComponent(generation.indexName)}/_count`;
  const body = { query: { ids: { values: keys } } };
  return total.parse(
    await requestCluster(cluster, { what: `count in ${generation.indexName}`, method: 'POST', path, body }),
  ).count;
}

const total = z.object({ count: z.int(), _shards: z.object({ failed: z.literal(0) }) });

/** All documents with one of these `_id`s, or with one of these numbers in their field `id`. */
export async function readIndexedByKey(sides: VerifyContext, keys: readonly string[]): Promise<readonly Found[]> {
  const ids = keys.map(Number).filter(Number.isSafeInteger);
  const query = { bool: { should: [{ ids: { values: keys } }, { terms: { id: ids } }] } };
  const body = { ...documentsBody(pageSize, sides.deep), query, sort: ['_doc'] };
  const found = await unlessTooLong(findDocuments(sides, body), keys.length > 1);
  if (found !== undefined) return found.documents;
  const middle = Math.ceil(keys.length / 2);
  return [
    ...(await readIndexedByKey(sides, keys.slice(0, middle))),
    ...(await readIndexedByKey(sides, keys.slice(middle))),
  ];
}

/** Documents without an `id`, or with one beyond what any span holds; none of ours is like that. `more`: there are others. */
export async function readDocumentsWithoutId(
  sides: VerifyContext,
): Promise<{ readonly keys: readonly string[]; readonly more: boolean }> {
  const beyond = [{ gt: Number.MAX_SAFE_INTEGER }, { lte: Number.MIN_SAFE_INTEGER }].map((id) => ({ range: { id } }));
  const query = { bool: { should: [{ bool: { must_not: { exists: { field: 'id' } } } }, ...beyond] } };
  const { documents } = await findDocuments(sides, { ...documentsBody(pageSize, false), query, sort: ['_doc'] });
  return { keys: documents.map(({ key }) => key), more: documents.length === pageSize };
}

function rangeOf({ after, upTo }: IdRange): object {
  return { range: { id: { gt: after, lte: upTo ?? Number.MAX_SAFE_INTEGER } } };
}

function documentsBody(size: number, deep: boolean): object {
  return { size, track_total_hits: false, version: true, _source: deep, docvalue_fields: ['id', 'hash'] };
}

async function findDocuments(
  sides: VerifyContext,
  body: object,
): Promise<{ readonly documents: readonly Found[]; readonly last: readonly unknown[] | undefined }> {
  const { hits } = foundDocuments.parse(await search(sides, body, undefined)).hits;
  const documents = hits.map(({ _id, _version, _source, fields }) => {
    const { digest } = sides.deep ? sideOf(_source) : { digest: '' };
    return { key: _id, id: fields?.id?.[0], version: _version ?? 0, hash: fields?.hash?.[0] ?? '', digest };
  });
  return { documents, last: hits.at(-1)?.sort };
}

async function search(
  { cluster, generation }: VerifyContext,
  body: object,
  filterPath: string | undefined,
): Promise<object> {
  return requestCluster(cluster, {
    what: `read ${generation.indexName}`,
    method: 'POST',
    path: `/${encodeURIComponent(generation.indexName)}/_search`,
    querystring: {
      allow_partial_search_results: false,
      request_cache: false,
      ...(filterPath === undefined ? {} : { filter_path: filterPath }),
    },
    body,
  });
}

/** Makes everything that was written visible to a search. */
export async function refreshIndex({ cluster, generation }: VerifyContext): Promise<void> {
  const path = `/${encodeURIComponent(generation.indexName)}/_refresh`;
  await requestCluster(cluster, { what: `refresh ${generation.indexName}`, method: 'POST', path });
}
