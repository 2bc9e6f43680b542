import { createHash } from 'node:crypto';
import { z } from 'zod';

/** What a document is, in the tables or in the index. */
export interface DocumentFingerprint {
  readonly storedHash: string;
  /** Of the whole document, where whole documents are compared; else ''. */
  readonly contentHash: string;
}

export function isSameDocument(one: DocumentFingerprint, other: DocumentFingerprint): boolean {
  return one.storedHash === other.storedHash && one.contentHash === other.contentHash;
}

const document = z.looseObject({ hash: z.string().optional() });

/** The same for equal documents, however their JSON is spaced. Both sides keep the order of keys. */
export function fingerprintOf(source: unknown): DocumentFingerprint {
  const parsed = document.safeParse(source);
  const contentHash = createHash('sha256').update(JSON.stringify(source)).digest('base64');
  return { storedHash: parsed.data?.hash ?? '', contentHash };
}
