import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { parseJson } from '../../../../src/lib/parse-json.ts';
import { vectorHex } from '../../../../src/lib/vector-bytes.ts';
import type { EmbeddingModelName, ProviderFault } from '../schedule/step.ts';
import type { OnRequest } from './intercepting-proxy.ts';
import { startLoopbackServer } from './loopback-server.ts';

// A server of embeddings for one program. Vectors come from the texts' MD5, so that a stored vector can be compared
// with the hash stored with it.

export const embeddingDimension = 16;

export interface ExploredProvider extends AsyncDisposable {
  readonly url: string;
}

const request = z.object({ model: z.enum(['first', 'second']), input: z.array(z.string()) });

export async function startExploredProvider(
  fault: ProviderFault | undefined,
  at: OnRequest,
): Promise<ExploredProvider> {
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { model, input } = request.parse(parseJson(await text(incoming)));
    if ((await at('embed', 'before')) === 'cut') return void response.destroy();
    const status = statusOf(fault, input);
    const length = fault === 'wrong-dimension' ? embeddingDimension - 1 : embeddingDimension;
    const data = input.map((one, index) => ({ index, embedding: numbersOf(md5(one), model).slice(0, length) }));
    if ((await at('embed', 'after')) === 'cut') return void response.destroy();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  };
  return startLoopbackServer(answer);
}

function statusOf(fault: ProviderFault | undefined, input: readonly string[]): number {
  if (fault === 'unavailable') return 503;
  return fault === 'refuses-some' && input.some(isRefused) ? 400 : 200;
}

/** A quarter of the entities' texts, which all hold a number, but not what is asked to see whether a provider works. */
function isRefused(one: string): boolean {
  return /\d/.test(one) && /^[0-3]/.test(md5(one));
}

function md5(value: string): string {
  // Postgres makes these; nothing is kept secret by them.
  // nosemgrep: no-broken-hashes
  return createHash('md5').update(value).digest('hex');
}

function numbersOf(hash: string, model: EmbeddingModelName): number[] {
  const numbers = [...Buffer.from(hash, 'hex')].map((byte) => byte - 127.5);
  return model === 'first' ? numbers : numbers.toReversed();
}

export function storedVector(hash: string, model: EmbeddingModelName): string {
  return vectorHex(Float32Array.from(numbersOf(hash, model)));
}
