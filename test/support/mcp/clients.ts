import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Json } from '../../../src/lib/wire-schema.ts';

export interface Called {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string | undefined }[];
  readonly structuredContent?: Json | undefined;
}

/**
 * The methods of a published client that tests use. It checks the data of answers against the tools' output schemas.
 */
export interface McpClient extends AsyncDisposable {
  tools(): Promise<readonly string[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>, meta?: Record<string, unknown>): Promise<Called>;
}

const info = { name: 'entity-search-test', version: '1' } as const;

export const clientNames = ['sdk 1.x', 'client 2.x as of 2025', 'client 2.x as of 2026-07-28'] as const;

/** @param sent the key, and the function that sends the connection's requests */
export async function connectClient(
  client: (typeof clientNames)[number],
  url: string,
  sent: { readonly key?: string; readonly fetch?: typeof fetch } = {},
): Promise<McpClient> {
  const requestInit = sent.key === undefined ? {} : { headers: { authorization: `Bearer ${sent.key}` } };
  const options = { requestInit, ...(sent.fetch && { fetch: sent.fetch }) };
  const address = new URL('/mcp', url);
  if (client === 'sdk 1.x') {
    const former = new FormerClient(info);
    // Its own types do not agree under exactOptionalPropertyTypes.
    await former.connect(new FormerTransport(address, options) as Transport);
    return adapted(former);
  }
  const mode = client === 'client 2.x as of 2025' ? 'legacy' : { pin: '2026-07-28' };
  const present = new Client(info, { versionNegotiation: { mode } });
  await present.connect(new StreamableHTTPClientTransport(address, options));
  return adapted(present);
}

function adapted(client: Client | FormerClient): McpClient {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, _meta) => (await client.callTool({ name, arguments: args, _meta })) as Called,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
