import { serviceDescription } from '../../lib/service-description.ts';
import type { Json } from '../../lib/wire-schema.ts';

// Three documents with the same content, for registries and clients that look for the MCP server.

const { name, title, version, summary } = serviceDescription;

/** The schemas that the documents follow. */
export const serverJsonSchema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
export const serverCardSchema = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
/** The media type of a server card. */
export const serverCardType = 'application/mcp-server-card+json';

/** Paths of the MCP server and its card. */
export const mcpPath = '/mcp';
export const serverCardPath = `${mcpPath}/server-card`;

/** The server's part of each document, which does not depend on the installation. */
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
 * Returns the server's description by one of the schemas. It has no tools, because clients request them from the server.
 */
export function serverDocument(baseUrl: string, $schema: string): Json {
  return {
    $schema,
    name: qualifiedName(baseUrl),
    ...identity,
    websiteUrl: `${baseUrl}/docs`,
    remotes: [{ type: 'streamable-http', url: baseUrl + mcpPath, headers: [keyHeader] }],
  };
}

/** Returns the catalogue of the host's MCP servers, with the address of the card. */
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
