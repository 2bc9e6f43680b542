import { serviceDescription } from '../../lib/service-description.ts';
import type { Json } from '../../lib/wire-schema.ts';

// What registries and clients read to find the MCP server: three documents with one content.

const { name, title, version, summary } = serviceDescription;

/** The schemas that the documents follow. */
export const serverJsonSchema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const serverCardSchema = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
/** The media type of a server card. */
export const serverCardType = 'application/mcp-server-card+json';

/** Where the MCP server and its card are, below the base address. */
export const mcpPath = '/mcp';
export const serverCardPath = `${mcpPath}/server-card`;

/** What stands in a catalogue of the server, whoever runs it; `key` is how a header or a variable asks for it. */
export const identity = { title, description: summary, version } as const;

/** The header that brings an API key; without one, searches are paid for. */
export const keyHeader: Json = {
  name: 'Authorization',
  description: 'An API key. Without it, search_entities can be paid per call by x402.',
  value: 'Bearer {api_key}',
  isRequired: false,
  variables: { api_key: { description: 'An API key, such as es_live_…', isSecret: true, isRequired: false } },
};

function remotesAt(baseUrl: string): readonly Json[] {
  return [{ type: 'streamable-http', url: baseUrl + mcpPath, headers: [keyHeader] }];
}

/** The server's name in reverse-DNS form, such as `com.example.api/entity-search`: the namespace is whose host it is. */
function qualifiedName(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const host = /^\[.*\]$/.test(hostname) ? 'localhost' : hostname;
  const namespace = /^\d+(\.\d+){3}$/.test(host) ? host : host.split('.').reverse().join('.');
  return `${namespace}/${name}`;
}

/** The document of the MCP registry (`server.json`) about this installation. */
export function serverJson(baseUrl: string): Json {
  const remotes = remotesAt(baseUrl);
  return {
    $schema: serverJsonSchema,
    name: qualifiedName(baseUrl),
    ...identity,
    websiteUrl: `${baseUrl}/docs`,
    remotes,
  };
}

/** The server's card: what a client needs to connect. Tools are not in it: clients ask the server. */
export function serverCard(baseUrl: string): Json {
  const remotes = remotesAt(baseUrl);
  return {
    $schema: serverCardSchema,
    name: qualifiedName(baseUrl),
    ...identity,
    websiteUrl: `${baseUrl}/docs`,
    remotes,
  };
}

/** The catalogue of the host's MCP servers: one, by the address of its card. */
export function mcpCatalogue(baseUrl: string): Json {
  const { hostname } = new URL(baseUrl);
  return {
    specVersion: 'draft',
    entries: [
      {
        identifier: `urn:air:${hostname.replace(/^\[.*\]$/, 'localhost')}:${name}`,
        displayName: title,
        type: serverCardType,
        url: baseUrl + serverCardPath,
      },
    ],
  };
}
