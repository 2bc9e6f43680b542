import type { UnreadableRow } from './row-errors.ts';

/** An entity's id and its document as JSON text. */
export type ReadDocument = readonly [id: number, document: string];

/** Documents read from rows, and what is to become of them; `version` is what they carry. */
export interface DocumentChunk {
  /** Drawn before the rows were read. */
  readonly version: number;
  /** In ascending id. */
  readonly documents: readonly ReadDocument[];
  /** Ids whose rows are not there any more: their documents are to be deleted. */
  readonly gone?: readonly number[];
  /** Rows that can't be made into documents: dead letters. */
  readonly unreadable?: readonly UnreadableRow[];
}
