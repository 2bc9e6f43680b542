import type { ConsoleConfig } from '../../config/console.ts';
import type { PageState, Site } from '../../pages/page.ts';
import { usd } from '../../payments/protocol/assets.ts';
import type { Deps, Pages } from '../../ports.ts';
import { consoleOrigin } from '../account/console.ts';
import type { Context } from '../context.ts';
import { PagesNotBuilt } from '../errors/errors.ts';
import { entityTag, hasTag } from '../response/entity-tag.ts';
import { type PageHead, pageDocument } from './document.ts';

/** A page may only load from this origin, and its scripts must not turn text into HTML or code. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Browsers may keep the page but must revalidate it. */
export const revalidated = 'private, no-cache';

export type PageDeps = Pick<Deps, 'config' | 'pages' | 'paidSearch'>;

interface Sent {
  readonly page: PageState['page'];
  readonly head: PageHead;
  /** True if search engines may index the page, unless INDEXABLE is false. */
  readonly indexable: boolean;
  /** True if browsers may keep the page. */
  readonly kept: boolean;
}

/** Returns the pages. Throws `PagesNotBuilt`. */
export function builtPages({ pages }: Pick<Deps, 'pages'>): Pages {
  if (pages === null) throw new PagesNotBuilt();
  return pages;
}

/** Answers with a page. Throws `PagesNotBuilt`. */
export function sendPage(ctx: Context, deps: PageDeps, { page, head, indexable, kept }: Sent): void {
  const { config } = deps;
  const html = pageDocument(
    builtPages(deps),
    { site: { ...siteOf(deps), origin: originOf(ctx, config.console) }, path: ctx.path, page },
    head,
  );
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  ctx.set('Content-Security-Policy', pagePolicy);
  if (!indexable || !config.console?.indexable) ctx.set('X-Robots-Tag', 'noindex');
  if (kept) {
    const tag = entityTag(html);
    ctx.set('Cache-Control', revalidated);
    ctx.set('ETag', tag);
    if (hasTag(ctx.get('If-None-Match'), tag)) {
      ctx.status = 304;
      return;
    }
  }
  ctx.body = html;
}

/** Returns the facts about this installation, except its origin. */
export function siteOf({ config, paidSearch }: PageDeps): Omit<Site, 'origin'> {
  return {
    priceUsd: paidSearch === null ? null : usd(paidSearch.terms.amount, paidSearch.terms.asset),
    visitorSearchesPerMinute: config.console?.visitorSearchesPerMinute ?? 0,
  };
}

function originOf(ctx: Context, config: ConsoleConfig | null): string {
  return ownOrigin(ctx, config) ?? `${ctx.protocol}://${ctx.host}`;
}

/** Returns the trusted origin of the pages; null without one. */
export function ownOrigin(ctx: Context, config: ConsoleConfig | null): string | null {
  return config === null ? null : consoleOrigin(ctx, config);
}

/** Returns the canonical address of a page, or null without a trusted origin. */
export function canonicalOf(ctx: Context, { config }: PageDeps, path: string): string | null {
  const origin = ownOrigin(ctx, config.console);
  return origin === null ? null : `${origin}${path}`;
}
