import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { send, startLoopback } from '../proxies/loopback.ts';
import { wordVector } from './word-vectors.ts';

const requestBody = z.object({
  model: z.string(),
  input: z.array(z.string()).min(1),
  encoding_format: z.literal('float').optional(),
});

/** A received request. */
export interface EmbeddingCall extends Readonly<z.infer<typeof requestBody>> {
  readonly authorization: string | undefined;
}

/**
 * Failures of the server:
 * - `down`: refuses connections
 * - `reset`: cuts the connection of each request
 * - `hang`: never answers
 * - `slow`: answers after two seconds
 * - `dimension`: vectors with a number too few
 * - `nan`: numbers that are none, as some servers write them (`NaN`, which is no JSON)
 * - `null`: the same as JSON has it
 * - `overflow`: a number that is finite only as long as it has 64 bits
 * - `zero`: vectors of zeros
 * - `count`: a vector too few
 * - `index`: one vector twice instead of another
 * - `garbage`: half an answer
 * - `html`: a gateway's page with status 502
 * - `huge`: an answer that does not end
 * - `redirect`: sends the caller to another address
 * - a number: that status with an error as OpenAI writes it
 */
export type EmbeddingFault =
  | 'down'
  | 'reset'
  | 'hang'
  | 'slow'
  | 'dimension'
  | 'nan'
  | 'null'
  | 'overflow'
  | 'zero'
  | 'count'
  | 'index'
  | 'garbage'
  | 'html'
  | 'huge'
  | 'redirect'
  | number;

export interface EmbeddingServerOptions {
  readonly dimension: number;
  /** Words that mean the same as another word, and have its vector. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** Without one, any is taken; else requests for others are 404, as a server answers that does not have the model. */
  readonly model?: string;
  /** Requests without it are 401. */
  readonly apiKey?: string;
}

/** A server of embeddings that speaks OpenAI's form over HTTP. Its vectors are those of `wordVector`. */
export interface EmbeddingServer extends AsyncDisposable {
  /** To be given as `EMBEDDINGS`. */
  readonly url: string;
  /** All requests that were understood, with those that failed. */
  readonly requests: readonly EmbeddingCall[];
  /** From now on every request fails so; null: none does. */
  fail(fault: EmbeddingFault | null): Promise<void>;
  /** Batches with such a text are 400; null: none is. */
  reject(text: ((text: string) => boolean) | null): void;
  close(): Promise<void>;
}

const slowMs = 2_000;

export async function startEmbeddingServer(options: EmbeddingServerOptions): Promise<EmbeddingServer> {
  const requests: EmbeddingCall[] = [];
  let fault: EmbeddingFault | null = null;
  let rejected: ((text: string) => boolean) | null = null;
  const server = await startLoopback(async (request, response) => {
    const body = await text(request);
    if (fault === 'reset') return request.socket.resetAndDestroy();
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return refuse(response, 404, 'unknown address');
    const parsed = requestBody.safeParse(JSON.parse(body));
    if (!parsed.success) return refuse(response, 400, 'no request for embeddings');
    const { authorization } = request.headers;
    requests.push({ ...parsed.data, authorization });
    const { model, input } = parsed.data;
    if (options.apiKey !== undefined && authorization !== `Bearer ${options.apiKey}`)
      return refuse(response, 401, 'wrong API key');
    if (options.model !== undefined && options.model !== model) return refuse(response, 404, `no model ${model}`);
    if (rejected !== null && input.some(rejected)) return refuse(response, 400, 'a text is not acceptable');
    const { dimension, meanings = {} } = options;
    const meant = input.map((text) => text.replaceAll(/\p{L}+/gu, (word) => meanings[word] ?? word));
    await answer(response, { model, input: meant, dimension }, fault);
  });
  return {
    url: server.url,
    requests,
    async fail(next) {
      fault = next;
      if (next === 'down') await server.close();
      else await server.listen();
    },
    reject(which) {
      rejected = which;
    },
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  };
}

interface Wanted {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimension: number;
}

async function answer(response: ServerResponse, wanted: Wanted, fault: EmbeddingFault | null): Promise<void> {
  if (typeof fault === 'number') return refuse(response, fault, 'this fails at 10.0.0.7');
  if (fault === 'hang') return;
  if (fault === 'redirect') return void response.writeHead(307, { location: 'http://127.0.0.1:9/v1/embeddings' }).end();
  if (fault === 'html') return send(response, 502, '<html>Bad gateway 10.0.0.7</html>', 'text/html');
  if (fault === 'huge') return sendForEver(response);
  if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs));
  const text = JSON.stringify(listed(wanted, fault));
  if (fault === 'nan') return send(response, 200, text.replace(/\[-?[\d.e-]+/g, '[NaN'));
  if (fault === 'overflow') return send(response, 200, text.replace(/\[-?[\d.e-]+/g, '[1e300'));
  if (fault === 'null') return send(response, 200, text.replace(/\[-?[\d.e-]+/g, '[null'));
  send(response, 200, fault === 'garbage' ? text.slice(0, text.length / 2) : text);
}

/** The answer, as OpenAI writes it. */
function listed({ model, input, dimension }: Wanted, fault: EmbeddingFault | null) {
  const length = fault === 'dimension' ? dimension - 1 : dimension;
  const data = input.map((text, at) => ({
    object: 'embedding',
    index: fault === 'index' ? 0 : at,
    embedding: fault === 'zero' ? new Array<number>(length).fill(0) : [...wordVector(text, length)],
  }));
  // The last one first: an order is promised nowhere, which is what `index` is for.
  data.reverse();
  if (fault === 'count') data.pop();
  return { object: 'list', data, model, usage: { prompt_tokens: input.length, total_tokens: input.length } };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  send(response, status, JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }));
}

function sendForEver(response: ServerResponse): void {
  const chunk = `${'0.5,'.repeat(16_384)}`;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"object":"list","data":[{"object":"embedding","index":0,"embedding":[');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}
