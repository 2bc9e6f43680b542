import type pg from 'pg';
import type { Generation } from '../generations/generations.ts';
import { bisect } from '../read/bisect.ts';
import { largeBytes } from '../read/read-by-id.ts';
import { isRowError } from '../read/row-errors.ts';
import { type DocumentFingerprint, fingerprintOf } from './document-fingerprint.ts';
import type { VerifyContext } from './verify-context.ts';

/** The fingerprint of a row that cannot be made into a document: equals no other. */
const unreadable: DocumentFingerprint = { storedHash: 'unreadable', contentHash: '' };

/**
 * Reads rows as documents by id, in no order. The condition is SQL over `id` with `$1`, `$2` …; one connection, and one
 * snapshot unless a row cannot be read.
 */
export async function readRowFingerprints(
  client: pg.PoolClient,
  context: VerifyContext,
  condition: string,
  values: readonly unknown[],
): Promise<Map<number, DocumentFingerprint>> {
  try {
    return await readFingerprints(client, context, condition, values);
  } catch (error) {
    if (!isRowError(error)) throw error;
  }
  const { rows } = await client.query<[number]>({
    // The number of a parameter, and a condition over ids.
    // nosemgrep: no-values-in-sql
    text: `select id from entity_ids where kind = $${values.length + 1} and ${condition}`,
    values: [...values, context.generation.kind],
    rowMode: 'array',
  });
  const found = new Map<number, DocumentFingerprint>();
  const ids = rows.map(([id]) => id);
  const failing = await bisect(client, ids, async (_, some) => {
    for (const [id, fingerprint] of await readFingerprints(client, context, 'id = any($1::bigint[])', [some]))
      found.set(id, fingerprint);
  });
  for (const { item: id } of failing) found.set(id, unreadable);
  return found;
}

async function readFingerprints(
  client: pg.PoolClient,
  { generation, deep }: VerifyContext,
  condition: string,
  values: readonly unknown[],
): Promise<Map<number, DocumentFingerprint>> {
  if (deep) return readWhole(client, generation, condition, values);
  const { rows } = await client.query<[number, string]>({
    text: `select id, hash from (${generation.documentSql}) as documents where ${condition}`,
    values: [...values],
    rowMode: 'array',
  });
  const fingerprints = new Map<number, DocumentFingerprint>();
  for (const [id, storedHash] of rows) fingerprints.set(id, { storedHash, contentHash: '' });
  return fingerprints;
}

/** Reads large documents one by one, so that the memory of a window is limited. */
async function readWhole(
  client: pg.PoolClient,
  generation: Generation,
  condition: string,
  values: readonly unknown[],
): Promise<Map<number, DocumentFingerprint>> {
  const { documentSql } = generation;
  const { rows } = await client.query<[number, string | null]>({
    // "offset 0" keeps the document from being built once for its size and again for itself.
    text: `select id, case when octet_length(body) <= ${largeBytes} then body end
           from (select id, body from (${documentSql}) as documents where ${condition} offset 0) as built`,
    values: [...values],
    rowMode: 'array',
  });
  const fingerprints = new Map<number, DocumentFingerprint>();
  for (const [id, small] of rows) {
    const body = small ?? (await readBody(client, documentSql, id));
    // It was removed in between, so it has no row.
    if (body !== undefined) fingerprints.set(id, fingerprintOf(JSON.parse(body)));
  }
  return fingerprints;
}

async function readBody(client: pg.PoolClient, documentSql: string, id: number): Promise<string | undefined> {
  const text = `select body from (${documentSql}) as documents where id = $1`;
  return (await client.query<{ body: string }>(text, [id])).rows[0]?.body;
}

/**
 * Returns the rows, among some, that cannot be made into documents: their hashes may be readable, because they use
 * fewer columns.
 */
export async function findUnreadable(
  client: pg.PoolClient,
  { generation }: VerifyContext,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const text = `select count(octet_length(body)) from (${generation.documentSql}) as documents where id = any($1::bigint[])`;
  const failing = await bisect(client, ids, async (_, some) => {
    await client.query(text, [some]);
  });
  return new Set(failing.map(({ item }) => item));
}
