import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { complaints } from './published.ts';

/**
 * Wraps a handler, and compares all of its answers with the published OpenAPI document.
 * @param found called with every difference
 */
export function checkedAnswers(handler: RequestListener, found: (sentence: string) => void): RequestListener {
  return (request, response) => {
    watch(request, response, found);
    return handler(request, response);
  };
}

/** Records the written answer, and checks it when it is complete. */
export function watch(request: IncomingMessage, response: ServerResponse, found: (sentence: string) => void): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  // One signature can't describe Node's overloads. Arguments are passed on unchanged.
  response.write = ((chunk: unknown, ...rest: never[]) => {
    keep(chunk);
    return write(chunk, ...rest);
  }) as typeof response.write;
  response.end = ((chunk?: unknown, ...rest: never[]) => {
    keep(chunk);
    return end(chunk as never, ...rest);
  }) as typeof response.end;
  response.once('finish', () => {
    // A client that has left does not read its answer.
    if (response.statusCode === 499) return;
    const { method = '', url = '' } = request;
    const body = method === 'HEAD' ? Buffer.alloc(0) : Buffer.concat(chunks);
    const sent = { method, url, status: response.statusCode, headers: response.getHeaders(), body };
    for (const sentence of complaints(sent)) found(sentence);
  });
}
