import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import { loopbackOrigin } from '../request/own-origin.ts';
import { ForeignPage } from './errors.ts';

/**
 * Refuses pages of other origins, as the protocol demands. Otherwise a page could use a local server by DNS rebinding.
 * Browsers send the page's origin with every POST; programs send none. `Host` proves nothing, so only the configured
 * addresses and this machine's own names are accepted.
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
