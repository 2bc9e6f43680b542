import type { EmbeddingModel } from './model.ts';

/** The role of a text. Some models embed queries and documents differently. */
export type TextRole = 'query' | 'document';

export interface EmbedRequest {
  readonly role: TextRole;
  /** Timeout of all texts together. */
  readonly timeoutMs: number;
  /** Cancels the texts that are not being embedded yet. */
  readonly signal?: AbortSignal;
}

/** A source of vectors. */
export interface EmbeddingProvider {
  readonly model: EmbeddingModel;
  /** Maximum number of texts per call of `embed`. */
  readonly batchSize: number;
  /**
   * Returns one vector for each text, in the same order. Each has the model's dimension and finite numbers, not all of
   * them zero. Rejects with `EmbeddingError`.
   */
  embed(texts: readonly string[], request: EmbedRequest): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/**
 * Reasons for a missing vector:
 * - `unreachable`: no connection to the server, or no working thread
 * - `timeout`: no answer in time
 * - `aborted`: the caller cancelled
 * - `refused`: the server refuses for now, for example because of its load
 * - `misconfigured`: a setting is wrong (address, key, model), or a file of the local model is missing
 * - `rejected`: the server can't embed these texts
 * - `invalid`: the answer is not a vector of the model
 * - `busy`: too many texts wait
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

/** Returns true if the provider's answer shows a wrong setting, so that waiting would not help. */
export function isWrongSetting({ reason }: EmbeddingError): boolean {
  return reason === 'misconfigured' || reason === 'invalid' || reason === 'rejected';
}

/** Requests one vector. Rejects with `EmbeddingError` if there is none, or one of another dimension. */
export async function checkProvider(
  provider: EmbeddingProvider,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  await provider.embed(['lending protocol'], { role: 'document', timeoutMs, ...(signal && { signal }) });
}
