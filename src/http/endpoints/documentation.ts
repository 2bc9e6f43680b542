import { LRUCache } from 'lru-cache';
import type { Json } from '../../lib/wire-schema.ts';
import { usd } from '../../payments/protocol/assets.ts';
import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import type { Endpoint, Installation } from '../endpoint.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { docsFile, docsFileNames, docsPage, docsPolicy } from '../openapi/docs-page.ts';
import { openApiDocument } from '../openapi/document.ts';
import { headerRefs } from '../openapi/headers.ts';
import { llmsText } from '../openapi/llms-text.ts';
import { commonErrors, errorResponse, loadErrors } from '../openapi/responses.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { sendStatic, staticFile } from '../response/static-file.ts';

/** What the documents say of this installation. */
export function installationOf({ paidSearch, config }: Deps): Installation {
  return {
    priceUsd: paidSearch === null ? '0.01' : usd(paidSearch.terms.amount, paidSearch.terms.asset),
    sold: paidSearch !== null,
    accountPage: config.console !== null,
  };
}

/** The operation of a document of this service. */
export function page(operationId: string, summary: string, mediaType: string, schema: Json = { type: 'string' }) {
  return {
    operationId,
    tags: ['Documentation'],
    summary,
    security: [],
    responses: {
      200: {
        description: 'The document.',
        headers: headerRefs(['X-Request-Id', 'ETag']),
        content: { [mediaType]: { schema } },
      },
      304: { description: 'It still is as If-None-Match says.', headers: headerRefs(['X-Request-Id', 'ETag']) },
      ...commonErrors,
      ...loadErrors,
    },
  };
}

/** What is not described any further. */
export const anyObject = { title: 'OpenApiDocument', type: 'object', additionalProperties: true } as const;

/** GET /openapi.json */
export const openApi: Endpoint = {
  method: 'get',
  path: '/openapi.json',
  gates: ['slot'],
  operation: () => page('openApi', 'This document', 'application/json', anyObject),
  handler: openApiHandler,
};

/** How many addresses of ours the document is kept for. */
const addressesMax = 16;

/** The document names the address that it is asked at; without a configured one, that may be another for each caller. */
function openApiHandler(deps: Deps, endpoints: readonly Endpoint[]): Middleware {
  const { publicUrl } = deps.config.address;
  const shared = publicUrl !== undefined;
  let documentAt: ReturnType<typeof openApiDocument> | undefined;
  const senders = new LRUCache<string, Middleware>({
    max: addressesMax,
    memoMethod(baseUrl) {
      documentAt ??= openApiDocument(endpoints, installationOf(deps));
      const document = documentAt(baseUrl);
      return sendStatic(
        // Whoever makes up addresses gets each packed anew: quickly, then.
        staticFile('application/json', () => JSON.stringify(document), shared ? 'shared' : 'once'),
        { shared },
      );
    },
  });
  return (ctx, next) => senders.memo(ownBaseUrl(ctx, publicUrl))(ctx, next);
}

/** GET /llms.txt */
export const llms: Endpoint = {
  method: 'get',
  path: '/llms.txt',
  gates: ['slot'],
  operation: () => page('llms', 'How to use this service, for language models', 'text/plain'),
  handler: (deps, endpoints) => sendStatic(staticFile('text/plain', () => llmsText(endpoints, installationOf(deps)))),
};

/** The files of the page; its own addresses for them name their content, so browsers need not ask again. */
const files = new Map(
  docsFileNames.map((name) => [
    name as string,
    staticFile(name.endsWith('.css') ? 'text/css' : 'text/javascript', () => docsFile(name)),
  ]),
);

/** GET /docs */
export const docs: Endpoint = {
  method: 'get',
  path: '/docs',
  gates: ['slot'],
  operation: () => page('docs', 'This document as a page on which requests can be tried', 'text/html'),
  handler() {
    const send = sendStatic(
      staticFile('text/html', () => docsPage((name) => `/docs/${name}?v=${files.get(name)?.version()}`)),
    );
    return (ctx, next) => {
      ctx.set('Content-Security-Policy', docsPolicy);
      return send(ctx, next);
    };
  },
};

/** GET /docs/{file} */
export const docsFiles: Endpoint = {
  method: 'get',
  path: '/docs/{file}',
  gates: ['slot'],
  operation() {
    const { responses, ...operation } = page('docsFile', 'What the page is made of', 'text/javascript');
    return {
      ...operation,
      parameters: [{ name: 'file', in: 'path', required: true, schema: { type: 'string', enum: docsFileNames } }],
      responses: {
        ...responses,
        200: {
          description: 'The file.',
          headers: headerRefs(['X-Request-Id', 'ETag']),
          content: { 'text/javascript': { schema: { type: 'string' } }, 'text/css': { schema: { type: 'string' } } },
        },
        404: errorResponse({
          description: 'There is no such file.',
          example: new RouteNotFound(),
        }),
      },
    };
  },
  handler() {
    const senders = new Map([...files].map(([name, file]) => [name, sendStatic(file)]));
    return (ctx, next) => {
      const send = senders.get(ctx.params.file ?? '');
      if (send === undefined) throw new RouteNotFound();
      return send(ctx, next);
    };
  },
};
