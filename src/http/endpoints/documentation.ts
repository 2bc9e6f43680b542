import type { Deps } from '../../deps.ts';
import { usd } from '../../payment/terms.ts';
import { docsFile, docsFileNames, docsPolicy } from '../docs-page.ts';
import { entityTag, hasTag } from '../entity-tag.ts';
import { RouteNotFound } from '../errors.ts';
import { llmsText } from '../llms-text.ts';
import { openApiDocument } from '../openapi/document.ts';
import type { Context, Middleware } from '../state.ts';

/** What a search costs where the operator sells none, in base units: the price that the documents then name. */
const usualAmount = 10_000n;

/** GET /openapi.json */
export function openApiEndpoint(deps: Deps): Middleware {
  return fixed('application/json', () => JSON.stringify(openApiDocument({ priceUsd: priceOf(deps) })));
}

/** GET /llms.txt */
export function llmsEndpoint(deps: Deps): Middleware {
  return fixed('text/plain', () => llmsText({ priceUsd: priceOf(deps), sold: deps.paid !== null }));
}

/** GET /docs */
export function docsEndpoint(): Middleware {
  const page = fixed('text/html', () => docsFile('index.html'));
  return (ctx, next) => {
    ctx.set('Content-Security-Policy', docsPolicy);
    return page(ctx, next);
  };
}

/** GET /docs/{file} */
export function docsFileEndpoint() {
  const files = new Map<string, Middleware>(
    docsFileNames.map((name) => [
      name,
      fixed(name.endsWith('.css') ? 'text/css' : 'text/javascript', () => docsFile(name)),
    ]),
  );
  return (ctx: Context & { readonly params: Readonly<Record<string, string>> }, next: () => Promise<void>) => {
    const file = files.get(ctx.params.file ?? '');
    if (file === undefined) throw new RouteNotFound();
    return file(ctx, next);
  };
}

function priceOf({ paid }: Deps): string {
  return usd(paid?.terms.amount ?? usualAmount);
}

/** A text that stays the same as long as the process lives. Made when it is first asked for. */
function fixed(type: string, make: () => string): Middleware {
  let made: { readonly text: string; readonly tag: string } | undefined;
  return (ctx) => {
    if (made === undefined) {
      const text = make();
      made = { text, tag: entityTag(text) };
    }
    // Anyone may keep it for an hour, and then ask whether it still is so.
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.set('ETag', made.tag);
    if (hasTag(ctx.get('If-None-Match'), made.tag)) ctx.status = 304;
    else {
      ctx.type = `${type}; charset=utf-8`;
      ctx.body = made.text;
    }
  };
}
