import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';

// Answers `_bulk` as Elasticsearch does when it has taken everything, and keeps nothing but what an index was made with:
// who helps with a load asks for that. PORT in the environment. Whatever else it is asked goes to FORWARD_TO, where that
// is set.

const made = z.looseObject({ mappings: z.unknown() });
const mappings = new Map<string, unknown>();

const newline = 0x0a;
const idPattern = /"_id":"([^"]*)"/;

function answerTo(body: Buffer): string {
  const items: string[] = [];
  for (let at = 0; at < body.length; ) {
    const actionEnd = body.indexOf(newline, at);
    if (actionEnd < 0) break;
    const [, id = ''] = idPattern.exec(body.toString('latin1', at, actionEnd)) ?? [];
    items.push(`{"index":{"_id":"${id}","status":201}}`);
    const documentEnd = body.indexOf(newline, actionEnd + 1);
    at = documentEnd < 0 ? body.length : documentEnd + 1;
  }
  return `{"errors":false,"items":[${items.join(',')}]}`;
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function answerAlone(method: string, path: string, body: Buffer): string {
  const [, index = ''] = path.split(/[/?]/);
  if (method === 'PUT') mappings.set(index, made.parse(JSON.parse(body.toString())).mappings);
  if (path.endsWith('/_mapping')) return JSON.stringify({ [index]: { mappings: mappings.get(index) } });
  return '{"_shards":{"failed":0}}';
}

async function answerFor(request: IncomingMessage): Promise<{ readonly status: number; readonly text: string }> {
  const { method = 'GET', url = '/' } = request;
  const body = await read(request);
  if (url.includes('_bulk')) return { status: 200, text: answerTo(body) };
  const target = process.env.FORWARD_TO;
  if (target === undefined) return { status: 200, text: answerAlone(method, url, body) };
  const { accept = 'application/json', 'content-type': contentType = accept } = request.headers;
  const headers = { accept, 'content-type': contentType };
  const init = body.length > 0 ? { method, headers, body: new Uint8Array(body) } : { method };
  const answer = await fetch(new URL(url, target), init);
  return { status: answer.status, text: await answer.text() };
}

const server = createServer((request, response) => {
  answerFor(request).then(
    ({ status, text }) => {
      // Without this header the official client refuses to talk.
      response.writeHead(status, { 'Content-Type': 'application/json', 'X-Elastic-Product': 'Elasticsearch' });
      response.end(text);
    },
    () => response.destroy(),
  );
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
