import { createHash } from 'node:crypto';
import { z } from 'zod';

export interface DocumentFingerprint {
  readonly storedHash: string;
  /** The hash of the whole document if whole documents are compared; otherwise ''. */
  readonly contentHash: string;
}

export function isSameDocument(one: DocumentFingerprint, other: DocumentFingerprint): boolean {
  return one.storedHash === other.storedHash && one.contentHash === other.contentHash;
}

const document = z.looseObject({ hash: z.string().optional() });

/** Returns the same for equal documents, however their JSON is spaced. Both sides keep the order of keys. */
export function fingerprintOf(source: unknown): DocumentFingerprint {
  const parsed = document.safeParse(source);
  const contentHash = createHash('sha256').update(JSON.stringify(source)).digest('base64');
  return { storedHash: parsed.data?.hash ?? '', contentHash };
}
