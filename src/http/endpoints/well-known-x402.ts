import { paidSearchPath } from '../../payments/protocol/terms.ts';
import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { headerRefs } from '../openapi/headers.ts';
import { commonErrors, errorResponse, loadErrors } from '../openapi/responses.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { answerJson } from '../response/json.ts';

const keptSeconds = 3_600;

/** GET /.well-known/x402: the paid resources, for registries. */
export const wellKnownX402: Endpoint = {
  method: 'get',
  path: '/.well-known/x402',
  gates: ['slot'],
  operation: () => ({
    operationId: 'wellKnownX402',
    tags: ['Paid search'],
    summary: 'Paid resources, for registries',
    security: [],
    responses: {
      200: {
        description: 'Addresses of the paid resources. The 402 of each has the price.',
        headers: headerRefs(['X-Request-Id']),
        content: {
          'application/json': {
            schema: {
              title: 'WellKnownX402',
              type: 'object',
              properties: {
                version: { type: 'integer', const: 1 },
                resources: { type: 'array', items: { type: 'string', format: 'uri' } },
              },
              required: ['version', 'resources'],
            },
          },
        },
      },
      ...commonErrors,
      ...loadErrors,
      404: errorResponse({
        description: 'Nothing is sold here.',
        example: new RouteNotFound(),
      }),
    },
  }),
  handler: wellKnownHandler,
};

function wellKnownHandler({ paidSearch }: Pick<Deps, 'paidSearch'>): Middleware {
  return (ctx) => {
    if (paidSearch === null) throw new RouteNotFound();
    // Without PUBLIC_URL, the document depends on the request.
    ctx.set('Cache-Control', `${paidSearch.publicUrl === undefined ? 'private' : 'public'}, max-age=${keptSeconds}`);
    answerJson(ctx, { version: 1, resources: [ownBaseUrl(ctx, paidSearch.publicUrl) + paidSearchPath] });
  };
}
