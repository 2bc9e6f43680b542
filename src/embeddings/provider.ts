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

/**
 * Returns the vectors if there is one for each text, with the model's dimension and finite numbers, not all zero.
 * Otherwise throws `EmbeddingError` with reason `invalid`.
 */
export function checkedVectors(
  vectors: readonly (ArrayLike<number> | undefined)[],
  count: number,
  { name, dimension }: Pick<EmbeddingModel, 'name' | 'dimension'>,
): readonly Float32Array[] {
  if (vectors.length !== count) throw invalid(`does not answer with a vector for each of ${count} texts`);
  return vectors.map((numbers) => {
    if (numbers === undefined) throw invalid('leaves out the vector of a text');
    if (numbers.length !== dimension) {
      throw invalid(
        `answers with vectors of ${numbers.length} numbers and not ${dimension}: correct EMBEDDINGS_DIMENSION, or EMBEDDINGS_MODEL (${name})`,
      );
    }
    const vector = Float32Array.from(numbers);
    // Also catches numbers that are finite only with 64 bits.
    if (!vector.every(Number.isFinite)) throw invalid('answers with numbers that are not finite');
    if (vector.every((number) => number === 0)) throw invalid('answers with zeros');
    return vector;
  });
}

function invalid(what: string): EmbeddingError {
  return new EmbeddingError('invalid', `The provider of embeddings ${what}.`);
}

/** The input limit that every provider accepts. */
const probeText = 'A short sentence.';

/**
 * Returns one vector for each text, or the reason why there is none: a refused text must not affect the others. So if a
 * batch fails while the provider still embeds another text, the batch is halved down to the texts at fault. Rejects
 * with `EmbeddingError` if the provider embeds no text at all, and with the signal's reason.
 */
export async function embedTexts(
  provider: EmbeddingProvider,
  texts: readonly string[],
  request: EmbedRequest,
): Promise<readonly (Float32Array | EmbeddingError)[]> {
  if (texts.length === 0) return [];
  try {
    return await provider.embed(texts, request);
  } catch (error) {
    request.signal?.throwIfAborted();
    if (!(error instanceof EmbeddingError)) throw error;
    await provider.embed([probeText], request);
    if (texts.length === 1) return [error];
  }
  const middle = Math.ceil(texts.length / 2);
  return [
    ...(await embedTexts(provider, texts.slice(0, middle), request)),
    ...(await embedTexts(provider, texts.slice(middle), request)),
  ];
}
