import { createServer, type IncomingMessage } from 'node:http';

// Answers `_bulk` like an Elasticsearch that accepts every document, and keeps nothing. PORT is in the environment.

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

async function answerFor(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return request.url?.includes('_bulk') ? answerTo(Buffer.concat(chunks)) : '{"_shards":{"failed":0}}';
}

const server = createServer((request, response) => {
  answerFor(request).then(
    (text) => {
      // Without this header the official client refuses to talk.
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-Elastic-Product': 'Elasticsearch' });
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
