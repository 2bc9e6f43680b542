import type { Json } from '../../lib/wire-schema.ts';
import { mcpCatalogue, serverCard, serverCardPath, serverCardType, serverJson } from '../catalogue/mcp-documents.ts';
import type { Endpoint } from '../endpoint.ts';
import { headerRefs } from '../openapi/headers.ts';
import { commonErrors, loadErrors } from '../openapi/responses.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { answerJson } from '../response/json.ts';

const keptSeconds = 3_600;

interface Document {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly mediaType: string;
  readonly schema: Json;
  /** @param baseUrl address of the service without a slash at its end */
  document(baseUrl: string): Json;
}

const described: Json = {
  type: 'object',
  properties: {
    $schema: { type: 'string', format: 'uri' },
    name: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    version: { type: 'string' },
    websiteUrl: { type: 'string', format: 'uri' },
    remotes: { type: 'array', items: { type: 'object', additionalProperties: true } },
  },
  required: ['$schema', 'name', 'title', 'description', 'version', 'websiteUrl', 'remotes'],
  additionalProperties: false,
};

const documents: readonly Document[] = [
  {
    path: '/.well-known/mcp',
    operationId: 'wellKnownMcp',
    summary: 'The MCP server, as registries describe it (server.json)',
    mediaType: 'application/json',
    schema: { title: 'McpServerJson', ...described },
    document: serverJson,
  },
  {
    path: '/.well-known/mcp/catalog.json',
    operationId: 'mcpCatalog',
    summary: 'The MCP servers of this host',
    mediaType: 'application/json',
    schema: {
      title: 'McpCatalog',
      type: 'object',
      properties: {
        specVersion: { type: 'string' },
        entries: { type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } },
      },
      required: ['specVersion', 'entries'],
      additionalProperties: false,
    },
    document: mcpCatalogue,
  },
  {
    path: serverCardPath,
    operationId: 'mcpServerCard',
    summary: 'Server card for MCP clients',
    mediaType: serverCardType,
    schema: { title: 'McpServerCard', ...described },
    document: serverCard,
  },
];

/** GET /.well-known/mcp, /.well-known/mcp/catalog.json and /mcp/server-card */
export const mcpCatalogues: readonly Endpoint[] = documents.map(
  ({ path, operationId, summary, mediaType, schema, document }) => ({
    method: 'get',
    path,
    gates: ['slot'],
    operation: () => ({
      operationId,
      tags: ['MCP'],
      summary,
      security: [],
      responses: {
        200: {
          description: 'The document.',
          headers: headerRefs(['X-Request-Id']),
          content: { [mediaType]: { schema } },
        },
        ...commonErrors,
        ...loadErrors,
      },
    }),
    handler:
      ({ config }) =>
      (ctx) => {
        const { publicUrl } = config.address;
        // Without PUBLIC_URL, the document depends on the request.
        ctx.set('Cache-Control', `${publicUrl === undefined ? 'private' : 'public'}, max-age=${keptSeconds}`);
        // The documents are public, so pages of every origin may read them.
        ctx.set('Access-Control-Allow-Origin', '*');
        answerJson(ctx, document(ownBaseUrl(ctx, publicUrl)));
        ctx.type = mediaType;
      },
  }),
);
