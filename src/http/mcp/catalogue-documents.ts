import { serviceDescription } from '../../lib/service-description.ts';
import type { Json } from '../../lib/wire-schema.ts';

// The description of the MCP server, for registries.

const { name, title, version, summary } = serviceDescription;

/** The schema that the document follows. */
export const serverJsonSchema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
export const mcpPath = '/mcp';

/** The part of the description that does not depend on the installation. */
export const identity = { title, description: summary, version } as const;

/** The header for an API key. Searches without a key are paid. */
export const keyHeader: Json = {
  name: 'Authorization',
  description: 'An API key. Without it, search_entities can be paid per call by x402.',
  value: 'Bearer {api_key}',
  isRequired: false,
  variables: { api_key: { description: 'An API key, such as es_live_…', isSecret: true, isRequired: false } },
};

/** Returns the server's name in reverse-DNS form, such as `com.example.api/entity-search`. */
function qualifiedName(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const host = /^\[.*\]$/.test(hostname) ? 'localhost' : hostname;
  const namespace = /^\d+(\.\d+){3}$/.test(host) ? host : host.split('.').reverse().join('.');
  return `${namespace}/${name}`;
}

/**
 * Returns the server's description. It has no tools, because clients request them from the server.
 */
export function serverDocument(baseUrl: string): Json {
  return {
    $schema: serverJsonSchema,
    name: qualifiedName(baseUrl),
    ...identity,
    websiteUrl: `${baseUrl}/docs`,
    remotes: [{ type: 'streamable-http', url: baseUrl + mcpPath, headers: [keyHeader] }],
  };
}
