import { refreshIndex } from '../../src/elasticsearch/admin.ts';
import { type DocumentFingerprint, isSameDocument } from './document-fingerprint.ts';
import { type IndexedDocument, readIndexedByKey } from './indexed-documents.ts';
import { findUnreadable, readRowFingerprints } from './row-fingerprints.ts';
import type { VerifyContext } from './verify-context.ts';

/**
 * Missing: a row without its document. Extra: a document without its row. Corrupt: the hash is right, the rest is not.
 * Unreadable: the row cannot be made into a document, so no document in the index can equal it.
 */
export const differenceKinds = ['missing', 'extra', 'stale', 'corrupt', 'unreadable'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** A document that differs from the tables. */
export interface Difference {
  /** Its `_id`: the entity's id, unless another program wrote it. */
  readonly key: string;
  readonly kind: DifferenceKind;
  /**
   * The states of both sides at the check, and the document's version: a state can recur, a version cannot. Two checks
   * with the same traces saw the same, and no change in between.
   */
  readonly trace: string;
  /** The document's version; 0 if it does not exist. */
  readonly version: number;
}

/** Returns the entity's id for an `_id`; undefined for an `_id` that none of ours has. */
export function entityIdOf(key: string): number | undefined {
  const id = Number(key);
  return Number.isSafeInteger(id) && id > 0 && String(id) === key ? id : undefined;
}

export function entityIdsOf(differences: readonly Pick<Difference, 'key'>[]): readonly number[] {
  return differences.flatMap(({ key }) => entityIdOf(key) ?? []);
}

/** Compares some documents with their rows, and returns those that differ. Refreshes the index before. */
export async function findDifferences(
  context: VerifyContext,
  suspects: Iterable<string>,
): Promise<readonly Difference[]> {
  context.signal.throwIfAborted();
  await refreshIndex(context.cluster, context.generation.indexName);
  const keys = [...suspects];
  const differences = new Map<string, Difference>();
  const client = await context.pool.connect();
  try {
    for (let at = 0; at < keys.length; at += lookUpSize) {
      const wanted = keys.slice(at, at + lookUpSize);
      const found = await readIndexedByKey(context, wanted);
      const all = [...new Set([...wanted, ...found.map(({ key }) => key)])];
      const ids = all.flatMap((key) => entityIdOf(key) ?? []);
      const rows = await readRowFingerprints(client, context, 'id = any($1::bigint[])', [ids]);
      const rowOf = (key: string): DocumentFingerprint | undefined => rows.get(entityIdOf(key) ?? 0);
      const byKey = new Map(found.map((one) => [one.key, one]));
      const differing = all.flatMap((key) => compare(key, rowOf(key), byKey.get(key)) ?? []);
      const present = differing.flatMap(({ key }) => (rowOf(key) === undefined ? [] : (entityIdOf(key) ?? [])));
      const unreadable = await findUnreadable(client, context, present);
      for (const one of differing) {
        const kind = unreadable.has(entityIdOf(one.key) ?? 0) ? 'unreadable' : one.kind;
        differences.set(one.key, { ...one, kind });
      }
    }
  } finally {
    client.release();
  }
  return [...differences.values()];
}

/** Entities in one query by id. */
const lookUpSize = 250;

function compare(
  key: string,
  row: DocumentFingerprint | undefined,
  found: IndexedDocument | undefined,
): Difference | undefined {
  if (row === undefined && found === undefined) return undefined;
  const kind = kindOf(key, row, found);
  if (kind === undefined) return undefined;
  const trace = [row?.storedHash, row?.contentHash, found?.storedHash, found?.contentHash, found?.version].join(' ');
  return { key, kind, trace, version: found?.version ?? 0 };
}

function kindOf(
  key: string,
  row: DocumentFingerprint | undefined,
  found: IndexedDocument | undefined,
): DifferenceKind | undefined {
  if (found === undefined) return 'missing';
  if (row === undefined) return 'extra';
  if (isSameDocument(row, found) && String(found.id) === key) return undefined;
  return row.storedHash === found.storedHash ? 'corrupt' : 'stale';
}
