import { z } from 'zod';
import type { ServedEmbeddings } from '../config/embeddings.ts';
import { parseJson } from '../lib/parse-json.ts';
import { limitedText } from '../lib/text/limited-text.ts';
import { checkedVectors, EmbeddingError, type EmbeddingProvider, type EmbedRequest } from './provider.ts';

const endpoint = '/v1/embeddings';

// Maximum sizes in JSON: of a number, of the text around each vector, and of the text around all vectors.
const numberBytes = 32;
const vectorBytes = 1_024;
const answerBytes = 65_536;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()) })),
});

/** Creates a provider for a server with OpenAI's API: Ollama, Text Embeddings Inference, vLLM or OpenAI. */
export function createUrlProvider(settings: ServedEmbeddings): EmbeddingProvider {
  const { model, batchSize, apiKey } = settings;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  return {
    model,
    batchSize,
    async embed(texts, request) {
      if (texts.length === 0) return [];
      if (texts.length > batchSize) throw new Error(`${texts.length} texts at once are more than ${batchSize}.`);
      const body = JSON.stringify({ model: model.name, input: texts, encoding_format: 'float' });
      const bytesMax = texts.length * (model.dimension * numberBytes + vectorBytes) + answerBytes;
      const text = await post(settings, { headers, body, bytesMax }, request);
      return checkedVectors(ordered(text, texts.length), texts.length, model);
    },
    close: async () => undefined,
  };
}

/** Returns the address of the endpoint, whether the setting includes its path or not. */
function addressOf({ url }: Pick<ServedEmbeddings, 'url'>): string {
  const base = url.replace(/\/+$/, '');
  if (base.endsWith(endpoint)) return base;
  return `${base.replace(/\/v1$/, '')}${endpoint}`;
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Limit of the answer. */
  readonly bytesMax: number;
}

async function post(settings: ServedEmbeddings, sent: Sent, { timeoutMs, signal }: EmbedRequest): Promise<string> {
  // `AbortSignal.timeout` accepts only whole numbers.
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  try {
    const response = await fetch(addressOf(settings), {
      method: 'POST',
      // Redirects are not followed, so that texts and the key are sent only to the configured address.
      redirect: 'manual',
      headers: sent.headers,
      body: sent.body,
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw refusal(response.status);
    }
    return await limitedText(response, sent.bytesMax, tooLong);
  } catch (error) {
    if (error instanceof EmbeddingError) throw error;
    if (signal?.aborted) throw new EmbeddingError('aborted', 'The caller cancelled the request for vectors.');
    if (timeout.aborted)
      throw new EmbeddingError('timeout', `The provider of embeddings took longer than ${timeoutMs} ms.`);
    throw new EmbeddingError('unreachable', 'The provider of embeddings does not answer.', { cause: error });
  }
}

/** Returns the error for a status. It leaves out the body, which may quote a text or the key. */
function refusal(status: number): EmbeddingError {
  const what = `The provider of embeddings answered with status ${status}`;
  if (status >= 300 && status < 400) {
    return new EmbeddingError('misconfigured', `${what}, a redirect: set EMBEDDINGS to the address where it leads.`);
  }
  if (status === 401 || status === 403) {
    return new EmbeddingError('misconfigured', `${what}: correct EMBEDDINGS_API_KEY.`);
  }
  if (status === 404 || status === 405) {
    return new EmbeddingError('misconfigured', `${what}: correct EMBEDDINGS or EMBEDDINGS_MODEL.`);
  }
  if (status >= 500 || status === 408 || status === 429) return new EmbeddingError('refused', `${what}.`);
  return new EmbeddingError('rejected', `${what}: it rejects these texts.`);
}

function tooLong(): EmbeddingError {
  return new EmbeddingError('invalid', 'The answer of the provider of embeddings is longer than the vectors can be.');
}

function ordered(text: string, count: number): readonly (readonly number[] | undefined)[] {
  const { data: answer } = answerSchema.safeParse(parseJson(text));
  if (answer === undefined || answer.data.length !== count) return [];
  const vectors = new Map(answer.data.map(({ index, embedding }) => [index, embedding]));
  return Array.from({ length: count }, (_, index) => vectors.get(index));
}
