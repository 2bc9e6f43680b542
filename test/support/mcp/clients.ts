import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Json } from '../../../src/lib/wire-schema.ts';

/** The outcome of a call. */
export interface Called {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string | undefined }[];
  readonly structuredContent?: Json | undefined;
}

/**
 * The methods of a published client that tests use. It checks the data of answers against the tools' output schemas.
 */
export interface McpClient extends AsyncDisposable {
  /** Names of the tools. */
  tools(): Promise<readonly string[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Called>;
}

const info = { name: 'entity-search-test', version: '1' } as const;

export const clientNames = ['sdk 1.x', 'client 2.x as of 2025', 'client 2.x as of 2026-07-28'] as const;

/** @param key null for none */
export function connectClient(
  client: (typeof clientNames)[number],
  url: string,
  key: string | null,
): Promise<McpClient> {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const address = new URL('/mcp', url);
  if (client === 'sdk 1.x') return connectFormer(address, headers);
  return connectPresent(address, headers, client === 'client 2.x as of 2025' ? 'legacy' : { pin: '2026-07-28' });
}

async function connectPresent(
  address: URL,
  headers: Record<string, string>,
  mode: 'legacy' | { pin: string },
): Promise<McpClient> {
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return adapted(client);
}

async function connectFormer(address: URL, headers: Record<string, string>): Promise<McpClient> {
  const client = new FormerClient(info);
  // Its own types do not agree under exactOptionalPropertyTypes.
  await client.connect(new FormerTransport(address, { requestInit: { headers } }) as Transport);
  return adapted(client);
}

function adapted(client: Client | FormerClient): McpClient {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Called,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
