import { createHash } from 'node:crypto';
import type pg from 'pg';
import { z } from 'zod';
import type { Cluster } from '../../src/elasticsearch/admin.ts';
import type { Generation } from '../generations/generations.ts';
import type { VerifyLimits } from '../limits.ts';

/** One comparison of a generation with the tables. */
export interface VerifyContext {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly config: VerifyLimits;
  readonly nowMs: () => number;
  readonly generation: Generation;
  /** Compare whole documents, not only the hashes that they carry. */
  readonly deep: boolean;
  /** Whether somebody applies the change log meanwhile; without that, nothing is waited for. */
  readonly isFollowed: boolean;
  readonly signal: AbortSignal;
}

/** What a document is, in the tables or in the index. */
export interface DocumentDigest {
  /** The hash that it carries. */
  readonly hash: string;
  /** A digest of the whole document, where whole documents are compared; else ''. */
  readonly digest: string;
}

export function isSameDocument(one: DocumentDigest, other: DocumentDigest): boolean {
  return one.hash === other.hash && one.digest === other.digest;
}

const document = z.looseObject({ hash: z.string().optional() });

/** The same for equal documents, however their JSON is spaced. Both sides keep the order of keys. */
export function digestOf(source: unknown): DocumentDigest {
  const parsed = document.safeParse(source);
  const digest = createHash('sha256').update(JSON.stringify(source)).digest('base64');
  return { hash: parsed.data?.hash ?? '', digest };
}
