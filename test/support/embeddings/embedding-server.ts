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

export interface EmbeddingCall extends Readonly<z.infer<typeof requestBody>> {
  readonly authorization: string | undefined;
}

/**
 * Failures of the server:
 * - `down`: refuses connections
 * - `reset`: cuts the connection of each request
 * - `hang`: never answers
 * - `slow`: answers after two seconds
 * - `dimension`: vectors with one number too few
 * - `nan`: `NaN`, as some servers write it, which is not JSON
 * - `null`: `null` in place of numbers
 * - `overflow`: a number that is finite only with 64 bits
 * - `zero`: vectors of zeros
 * - `count`: one vector too few
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
  /** Words with the meaning, and so the vector, of another word. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** The server's model: requests for others are 404. Without one, any model is accepted. */
  readonly model?: string;
  /** The key: requests without it are 401. */
  readonly apiKey?: string;
}

/** An embedding server with OpenAI's API. Its vectors are those of `wordVector`. */
export interface EmbeddingServer extends AsyncDisposable {
  /** The value for `EMBEDDINGS`. */
  readonly url: string;
  /** All valid requests, including those that failed. */
  readonly requests: readonly EmbeddingCall[];
  /** Sets the failure of all further requests; null: none. */
  fail(fault: EmbeddingFault | null): Promise<void>;
  /** Batches with a matching text are 400; null: none. */
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

/** Returns the answer in OpenAI's form. */
function listed({ model, input, dimension }: Wanted, fault: EmbeddingFault | null) {
  const length = fault === 'dimension' ? dimension - 1 : dimension;
  const data = input.map((text, at) => ({
    object: 'embedding',
    index: fault === 'index' ? 0 : at,
    embedding: fault === 'zero' ? new Array<number>(length).fill(0) : [...wordVector(text, length)],
  }));
  // The last vector comes first, because the order is not specified: `index` is.
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
