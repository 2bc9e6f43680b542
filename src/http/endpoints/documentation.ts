import { LRUCache } from 'lru-cache';
import { lazily } from '../../lib/lazily.ts';
import type { Json } from '../../lib/wire-schema.ts';
import { docsPage } from '../../pages/docs.ts';
import { paidSearchPath } from '../../payments/protocol/terms.ts';
import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import { type Endpoint, installationOf } from '../endpoint.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { openApiDocument } from '../openapi/document.ts';
import { headerRefs } from '../openapi/headers.ts';
import { llmsText } from '../openapi/llms-text.ts';
import { pageDocument } from '../pages/document.ts';
import { builtPages, pagePolicy, revalidated, siteOf } from '../pages/send-page.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { sendStatic } from '../response/static-file.ts';

/** Returns the operation of an endpoint that sends a document. */
export function page(operationId: string, summary: string, mediaType: string, schema: Json = { type: 'string' }) {
  return {
    operationId,
    tag: 'Documentation',
    summary,
    answered: 'The document.',
    headers: ['ETag'],
    content: { [mediaType]: { schema } },
    responses: {
      304: { description: 'The document still matches If-None-Match.', headers: headerRefs(['X-Request-Id', 'ETag']) },
    },
  } as const;
}

export const anyObject = { title: 'OpenApiDocument', type: 'object', additionalProperties: true } as const;

/** GET /openapi.json */
export const openApi: Endpoint = {
  method: 'get',
  path: '/openapi.json',
  gates: ['slot'],
  operation: () => page('openApi', 'OpenAPI document', 'application/json', anyObject),
  handler(deps, endpoints) {
    const documentAt = lazily(() => openApiDocument(endpoints, installationOf(deps)));
    return sendDocument(deps, 'application/json', (baseUrl) => JSON.stringify(documentAt()(baseUrl)));
  },
};

/** Maximum number of addresses for which the document is kept. */
const addressesMax = 16;

/** Sends a document that names the address of the service. Without PUBLIC_URL, that depends on the request. */
function sendDocument(
  { config }: Pick<Deps, 'config'>,
  mediaType: string,
  documentAt: (baseUrl: string) => string,
): Middleware {
  const { publicUrl } = config.address;
  const shared = publicUrl !== undefined;
  const senders = new LRUCache<string, Middleware>({
    max: addressesMax,
    memoMethod: (baseUrl) => sendStatic(mediaType, () => documentAt(baseUrl), { shared }),
  });
  return (ctx, next) => senders.memo(ownBaseUrl(ctx, publicUrl))(ctx, next);
}

/** GET /llms.txt */
export const llms: Endpoint = {
  method: 'get',
  path: '/llms.txt',
  gates: ['slot'],
  operation: () => page('llms', 'Instructions for language models', 'text/plain'),
  handler: (deps, endpoints) =>
    sendDocument(deps, 'text/plain', (baseUrl) => llmsText(endpoints, installationOf(deps), baseUrl)),
};

/** GET /.well-known/x402: the addresses at which searches are sold, for registries. */
export const wellKnownX402: Endpoint = {
  method: 'get',
  path: '/.well-known/x402',
  gates: ['slot'],
  errors: ['not_found'],
  operation: () =>
    page('wellKnownX402', 'Addresses of paid resources', 'application/json', {
      title: 'WellKnownX402',
      type: 'object',
      additionalProperties: true,
    }),
  handler(deps) {
    const send = sendDocument(deps, 'application/json', (baseUrl) =>
      JSON.stringify({ version: 1, resources: [baseUrl + paidSearchPath] }),
    );
    return async (ctx, next) => {
      if (deps.paidSearch === null) throw new RouteNotFound();
      await send(ctx, next);
      // The document is public, so pages of every origin may read it.
      ctx.set('Access-Control-Allow-Origin', '*');
    };
  },
};

export const docs: Endpoint = {
  method: 'get',
  path: '/docs',
  gates: ['slot'],
  operation: () => page('docs', 'API reference', 'text/html'),
  handler(deps, endpoints) {
    const reference = lazily(() => docsPage(openApiDocument(endpoints, installationOf(deps))('')));
    const send = sendDocument(deps, 'text/html', (origin) => {
      const head = { title: 'API reference', description: docsText, canonical: null };
      return pageDocument(
        builtPages(deps),
        { site: { ...siteOf(deps), origin }, path: '/docs', page: reference() },
        head,
      );
    });
    return async (ctx, next) => {
      await send(ctx, next);
      ctx.set('Content-Security-Policy', pagePolicy);
      // The page names files of one build.
      ctx.set('Cache-Control', revalidated);
    };
  },
};

const docsText = 'Every API operation with parameters, responses, errors and examples.';
