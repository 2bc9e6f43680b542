import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import { ForeignPage } from '../errors/mcp-errors.ts';
import { loopbackOrigin } from '../request/own-origin.ts';

/**
 * Refuses pages of other origins, as the protocol demands: a page whose name was made to lead to this machine could
 * otherwise use a server that only this machine reaches. Browsers name the page's origin with every POST, and no page can
 * change that; programs name none. What `Host` says proves nothing: only the configured address, and this machine's own
 * names, are ours.
 */
export function refuseForeignOrigins({ config, paidSearch }: Pick<Deps, 'config' | 'paidSearch'>): Middleware {
  const publicUrl = paidSearch?.publicUrl;
  const known = new Set([
    ...config.http.corsOrigins,
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]),
    ...(config.console?.origin === undefined ? [] : [config.console.origin]),
  ]);
  return (ctx, next) => {
    const origin = ctx.get('Origin');
    if (origin === '' || known.has('*') || known.has(origin) || origin === loopbackOrigin(ctx)) return next();
    throw new ForeignPage();
  };
}
