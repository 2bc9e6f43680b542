import type { EmbeddingModel } from './model.ts';

/** What a text is: some models want to be told, and none compares the two kinds the other way round. */
export type TextRole = 'query' | 'document';

export interface EmbedRequest {
  readonly role: TextRole;
  /** For all texts together. */
  readonly timeoutMs: number;
  /** Gives up what was not begun yet. */
  readonly signal?: AbortSignal;
}

/** Makes vectors of texts. */
export interface EmbeddingProvider {
  readonly model: EmbeddingModel;
  /** Texts that `embed` takes at once, at most. */
  readonly batchSize: number;
  /**
   * One vector for each text, in their order: of the model's dimension, finite, not all zero.
   * Rejects with `EmbeddingError`.
   */
  embed(texts: readonly string[], request: EmbedRequest): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/**
 * Why there is no vector:
 * - `unreachable`: no connection, or none of our worker
 * - `timeout`: not in time
 * - `aborted`: the caller gave up
 * - `refused`: an answer that it will not now
 * - `misconfigured`: an answer that a setting is wrong (address, key, model), or what the local model needs is missing
 * - `rejected`: an answer that the request can't be fulfilled as it is
 * - `invalid`: an answer that is no vector of the model
 * - `busy`: too much is waiting already
 */
export type EmbeddingFailure =
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'refused'
  | 'misconfigured'
  | 'rejected'
  | 'invalid'
  | 'busy';

export class EmbeddingError extends Error {
  readonly reason: EmbeddingFailure;

  constructor(reason: EmbeddingFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddingError';
    this.reason = reason;
  }
}
