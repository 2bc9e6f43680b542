import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../src/app.ts';
import { createHttpServer } from '../../../src/http/server/server.ts';
import type { Deps } from '../../../src/ports.ts';
import { type Drain, drainable } from '../../../src/shutdown.ts';
import { checkedAnswers } from './checked-answers.ts';

/** Serves the app on a free port of this process. */
export interface ServedApp {
  readonly url: string;
  readonly port: number;
  readonly drain: Drain;
  /** Cuts all connections, and expects that every answer matched the OpenAPI document. */
  close(): Promise<void>;
}

export async function serveChecked(deps: Deps): Promise<ServedApp> {
  const undocumented: string[] = [];
  const handler = checkedAnswers(createApp(deps).callback(), (sentence) => void undocumented.push(sentence));
  const server = createHttpServer(handler, deps.config.http, deps.log);
  const drain = drainable(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    drain,
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      expect(undocumented).toEqual([]);
    },
  };
}
