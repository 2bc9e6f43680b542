import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { z } from 'zod';
import { ask } from '../src/clients/elasticsearch.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { drawVersion, flushSql, type Row, type RowChunk } from './rows.ts';

/** Ids read in one statement, and with one version. */
const idsPerRead = 500;
const idsPerPage = 2_000;

/** A generation, as far as its documents are concerned. */
export interface DocumentSource {
  readonly id: number;
  readonly kind: KindName;
  readonly indexName: string;
  /** SQL that selects `id` and `body`: the generation's own. */
  readonly documentSql: string;
}

/**
 * The present state of documents by id. Each chunk is one statement, whose snapshot is younger than its version and
 * than the call; no transaction stays open while a chunk is being sent.
 */
export async function* readDocuments(
  pool: pg.Pool,
  source: DocumentSource,
  ids: readonly number[],
): AsyncGenerator<RowChunk, void, undefined> {
  for (let at = 0; at < ids.length; at += idsPerRead) {
    yield await readSome(pool, source, ids.slice(at, at + idsPerRead));
  }
}

async function readSome(pool: pg.Pool, source: DocumentSource, ids: readonly number[]): Promise<RowChunk> {
  const version = await drawVersion(pool);
  const { rows } = await pool.query<[number, string]>({
    // Planned once a connection: planning takes longer than reading a few.
    name: `documents-${source.id}`,
    text: `select id, body from (${source.documentSql}) as documents where id = any($1::bigint[])`,
    values: [ids],
    rowMode: 'array',
  });
  await pool.query(flushSql);
  const found = new Set(rows.map(([id]) => id));
  const documents: readonly Row[] = rows;
  return { version, rows: documents, gone: ids.filter((id) => !found.has(id)) };
}

const page = z.object({ hits: z.object({ hits: z.array(z.object({ _id: z.string() })) }) });

/** Elasticsearch could not list what an index holds. */
class ScanFailedError extends Error {
  constructor(index: string, why: string, cause: unknown) {
    super(`Elasticsearch could not list the documents of ${index}: ${why}`, { cause });
    this.name = 'ScanFailedError';
  }
}

/** Deletions of all documents of an index whose rows are not in the table. */
export async function* findLeftDocuments(
  deps: { readonly pool: pg.Pool; readonly client: Client; readonly timeoutMs: number },
  source: DocumentSource,
): AsyncGenerator<RowChunk, void, undefined> {
  const path = `/${encodeURIComponent(source.indexName)}`;
  const get = async (method: 'GET' | 'POST', suffix: string, body?: object): Promise<unknown> => {
    const answer = await ask(
      deps.client,
      { method, path: `${path}${suffix}`, ...(body && { body }) },
      { timeoutMs: deps.timeoutMs },
    );
    if (!answer.ok) throw new ScanFailedError(source.indexName, answer.reason, answer.cause);
    return answer.body;
  };
  // What is written is listed only after this.
  await get('POST', '/_refresh');
  for (let after = 0; ; ) {
    const body = {
      size: idsPerPage,
      _source: false,
      track_total_hits: false,
      sort: [{ id: 'asc' }],
      search_after: [after],
    };
    const { hits } = page.parse(await get('POST', '/_search?allow_partial_search_results=false', body)).hits;
    if (hits.length === 0) return;
    const ids = hits.map(({ _id }) => Number(_id));
    const version = await drawVersion(deps.pool);
    const { rows } = await deps.pool.query<{ id: number }>(
      `select id from unnest($1::bigint[]) as held (id)
       where not exists (select from ${source.kind} as present where present.id = held.id)`,
      [ids],
    );
    await deps.pool.query(flushSql);
    if (rows.length > 0) yield { version, rows: [], gone: rows.map(({ id }) => id) };
    after = ids.at(-1) ?? after;
  }
}
