import { usd } from '../../payments/protocol/assets.ts';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { docsFile, docsFileNames, docsPage, docsPolicy } from '../openapi/docs-page.ts';
import { openApiDocument } from '../openapi/document.ts';
import { llmsText } from '../openapi/llms-text.ts';
import { sendStatic, staticFile } from '../response/static-file.ts';

/** GET /openapi.json */
export function openApiEndpoint(deps: Deps): Middleware {
  const priceUsd = priceOf(deps);
  return sendStatic(staticFile('application/json', () => JSON.stringify(openApiDocument({ priceUsd }))));
}

/** GET /llms.txt */
export function llmsEndpoint(deps: Deps): Middleware {
  const known = { priceUsd: priceOf(deps), sold: deps.paid !== null };
  return sendStatic(staticFile('text/plain', () => llmsText(known)));
}

/** The files of the page; its own addresses for them name their content, so browsers need not ask again. */
const files = new Map(
  docsFileNames.map((name) => [
    name as string,
    staticFile(name.endsWith('.css') ? 'text/css' : 'text/javascript', () => docsFile(name)),
  ]),
);

/** GET /docs */
export function docsEndpoint(): Middleware {
  const page = sendStatic(
    staticFile('text/html', () => docsPage((name) => `/docs/${name}?v=${files.get(name)?.version()}`)),
  );
  return (ctx, next) => {
    ctx.set('Content-Security-Policy', docsPolicy);
    return page(ctx, next);
  };
}

/** GET /docs/{file} */
export function docsFileEndpoint() {
  const senders = new Map([...files].map(([name, file]) => [name, sendStatic(file)]));
  return (ctx: Context & { readonly params: Readonly<Record<string, string>> }, next: () => Promise<void>) => {
    const send = senders.get(ctx.params.file ?? '');
    if (send === undefined) throw new RouteNotFound();
    return send(ctx, next);
  };
}

function priceOf({ paid }: Deps): string {
  return paid === null ? '0.01' : usd(paid.terms.amount, paid.terms.asset);
}
