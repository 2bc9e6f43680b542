import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(z.object({ key: z.string(), value: z.looseObject({}) })) }),
      scopeSpans: z.array(
        z.object({
          scope: z.object({ name: z.string() }),
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              attributes: z.array(z.object({ key: z.string(), value: z.looseObject({}) })),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A receiver of traces, which speaks OTLP over HTTP. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly bodies: Buffer[];
  readonly types: (string | undefined)[];
}

export async function startReceiver(): Promise<Receiver> {
  const bodies: Buffer[] = [];
  const types: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()));
    types.push(request.headers['content-type']);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    types,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Every span in bodies that were written as JSON. */
export function spansOf(bodies: readonly Buffer[]) {
  return bodies
    .flatMap((body) => exported.parse(JSON.parse(body.toString('utf8'))).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ scope, spans }) => spans.map((span) => ({ scope: scope.name, ...span })));
}
