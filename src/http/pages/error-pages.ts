import type { Context, Middleware } from '../context.ts';
import { type ApiError, toApiError } from '../errors/errors.ts';
import { reportError } from '../middleware/handle-errors.ts';
import { searchPath, sendSearchPage } from './search.ts';
import { type PageDeps, sendPage } from './send-page.ts';

/** Addresses for programs, which answer with JSON errors, also to browsers. */
const programsOnly = /^\/(?:api\/|account\/api\/|console\/assets\/|openapi\.json|\.well-known\/)/;

/** Answers errors of browsers with a page. Programs get JSON. */
export function errorPages(deps: PageDeps): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      if (!wantsPage(ctx)) throw thrown;
      const error = toApiError(thrown);
      reportError(ctx, error);
      answerErrorPage(ctx, deps, error);
    }
  };
}

function wantsPage(ctx: Context): boolean {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false;
  return ctx.get('Accept').includes('text/html') && !programsOnly.test(ctx.path);
}

function answerErrorPage(ctx: Context, deps: PageDeps, error: ApiError): void {
  const { status, headers, code } = error.reply;
  ctx.status = status;
  ctx.set('Cache-Control', 'no-store');
  ctx.vary('Accept');
  if (headers !== undefined) ctx.set({ ...headers });
  if (deps.pages === null) {
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = error.message;
    return;
  }
  if (ctx.path === searchPath) {
    const retryAfter = headers?.['Retry-After'];
    const refusal = { status, message: error.message, retryAfterSeconds: retryAfter ? Number(retryAfter) : null };
    sendSearchPage(ctx, deps, { title: deps.pages.readSearch(ctx.querystring).title, found: null, refusal });
    return;
  }
  // The API's message is for programs.
  const message = code === 'not_found' ? 'Check the address, or use the search.' : error.message;
  sendPage(ctx, deps, {
    page: { name: 'error', status, message },
    head: { title: `Error ${status}`, description: message, canonical: null },
    indexable: false,
    kept: false,
  });
}
