import type { Json } from '../../lib/wire-schema.ts';
import { paidSearchPath } from '../../payments/protocol/terms.ts';
import type { Deps } from '../../ports.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { serverDocument } from '../mcp/catalogue-documents.ts';
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
  /** The name of its schema. Registries publish the schemas themselves. */
  readonly schema: string;
  readonly errors?: readonly ErrorCode[];
  /**
   * Throws `RouteNotFound` if the service has nothing to describe.
   * @param baseUrl address of the service without a slash at its end
   */
  document(baseUrl: string, deps: Deps): Json;
}

const documents: readonly WellKnown[] = [
  {
    path: '/.well-known/x402',
    operationId: 'wellKnownX402',
    tag: 'Paid search',
    summary: 'List paid resources',
    description: 'Addresses of the paid resources. The 402 of each has the price.',
    schema: 'WellKnownX402',
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
    summary: 'Describe the MCP server',
    schema: 'McpServerJson',
    document: serverDocument,
  },
];

/** GET /.well-known/x402 and /.well-known/mcp */
export const wellKnown: readonly Endpoint[] = documents.map(({ description = 'The document.', ...each }) => ({
  method: 'get',
  path: each.path,
  gates: ['slot'],
  ...(each.errors && { errors: each.errors }),
  operation: () => ({
    operationId: each.operationId,
    tag: each.tag,
    summary: each.summary,
    answered: description,
    content: { 'application/json': { schema: { title: each.schema, type: 'object', additionalProperties: true } } },
  }),
  handler: (deps) => (ctx) => {
    const { publicUrl } = deps.config.address;
    const body = each.document(ownBaseUrl(ctx, publicUrl), deps);
    // Without PUBLIC_URL, the document depends on the request.
    ctx.set('Cache-Control', `${publicUrl === undefined ? 'private' : 'public'}, max-age=${keptSeconds}`);
    // The documents are public, so pages of every origin may read them.
    ctx.set('Access-Control-Allow-Origin', '*');
    answerJson(ctx, body);
  },
}));
