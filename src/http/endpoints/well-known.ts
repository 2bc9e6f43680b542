import type { Json } from '../../lib/wire-schema.ts';
import { paidSearchPath } from '../../payments/protocol/terms.ts';
import type { Deps } from '../../ports.ts';
import {
  mcpCatalogue,
  serverCardPath,
  serverCardSchema,
  serverCardType,
  serverDocument,
  serverJsonSchema,
} from '../catalogue/mcp-documents.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { headerRefs } from '../openapi/headers.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { answerJson } from '../response/json.ts';

const keptSeconds = 3_600;

/** A public document about this service, for registries and clients. */
interface WellKnown {
  readonly path: string;
  readonly operationId: string;
  readonly tag: 'MCP' | 'Paid search';
  readonly summary: string;
  readonly description?: string;
  readonly mediaType?: string;
  readonly schema: Json;
  readonly errors?: readonly ErrorCode[];
  /**
   * Throws `RouteNotFound` if the service has nothing to describe.
   * @param baseUrl address of the service without a slash at its end
   */
  document(baseUrl: string, deps: Deps): Json;
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

const documents: readonly WellKnown[] = [
  {
    path: '/.well-known/x402',
    operationId: 'wellKnownX402',
    tag: 'Paid search',
    summary: 'Paid resources, for registries',
    description: 'Addresses of the paid resources. The 402 of each has the price.',
    schema: {
      title: 'WellKnownX402',
      type: 'object',
      properties: {
        version: { type: 'integer', const: 1 },
        resources: { type: 'array', items: { type: 'string', format: 'uri' } },
      },
      required: ['version', 'resources'],
    },
    errors: ['not_found'],
    document(baseUrl, { paidSearch }) {
      if (paidSearch === null) throw new RouteNotFound();
      return { version: 1, resources: [baseUrl + paidSearchPath] };
    },
  },
  {
    path: '/.well-known/mcp',
    operationId: 'wellKnownMcp',
    tag: 'MCP',
    summary: 'The MCP server, as registries describe it (server.json)',
    schema: { title: 'McpServerJson', ...described },
    document: (baseUrl) => serverDocument(baseUrl, serverJsonSchema),
  },
  {
    path: '/.well-known/mcp/catalog.json',
    operationId: 'mcpCatalog',
    tag: 'MCP',
    summary: 'The MCP servers of this host',
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
    tag: 'MCP',
    summary: 'Server card for MCP clients',
    mediaType: serverCardType,
    schema: { title: 'McpServerCard', ...described },
    document: (baseUrl) => serverDocument(baseUrl, serverCardSchema),
  },
];

/** GET /.well-known/x402, /.well-known/mcp, /.well-known/mcp/catalog.json and /mcp/server-card */
export const wellKnown: readonly Endpoint[] = documents.map(
  ({ description = 'The document.', mediaType = 'application/json', ...each }) => ({
    method: 'get',
    path: each.path,
    gates: ['slot'],
    ...(each.errors && { errors: each.errors }),
    operation: () => ({
      operationId: each.operationId,
      tags: [each.tag],
      summary: each.summary,
      security: [],
      responses: {
        200: {
          description,
          headers: headerRefs(['X-Request-Id']),
          content: { [mediaType]: { schema: each.schema } },
        },
      },
    }),
    handler: (deps) => (ctx) => {
      const { publicUrl } = deps.config.address;
      const body = each.document(ownBaseUrl(ctx, publicUrl), deps);
      // Without PUBLIC_URL, the document depends on the request.
      ctx.set('Cache-Control', `${publicUrl === undefined ? 'private' : 'public'}, max-age=${keptSeconds}`);
      // The documents are public, so pages of every origin may read them.
      ctx.set('Access-Control-Allow-Origin', '*');
      answerJson(ctx, body);
      ctx.type = mediaType;
    },
  }),
);
