import type { ConsoleConfig } from '../../../config/console.ts';
import type { Middleware } from '../../context.ts';
import { ForeignOrigin } from '../../errors/account-errors.ts';
import { consoleOrigin } from '../console-origin.ts';

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses changes that a page of another origin asks for, beside the cookies' SameSite. Browsers name the page's origin
 * with every such request and no page can change that; what does not name it is no browser, or one too old to trust.
 */
export function sameOrigin(config: ConsoleConfig): Middleware {
  return (ctx, next) => {
    const origin = consoleOrigin(ctx, config);
    const site = ctx.get('Sec-Fetch-Site');
    const own = origin !== null && ctx.get('Origin') === origin && (site === '' || site === 'same-origin');
    if (!safeMethods.includes(ctx.method) && !own) throw new ForeignOrigin(origin);
    return next();
  };
}
