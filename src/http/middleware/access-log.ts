import type { Deps } from '../../deps.ts';
import { withoutKeys } from '../../log.ts';
import type { Middleware } from '../state.ts';

const loggedPathMax = 200;

/** One line for each request, when its answer is sent or its caller is gone. What was asked is told only on request. */
export function accessLog({ clock, config }: Pick<Deps, 'clock' | 'config'>): Middleware {
  return (ctx, next) => {
    const startedMs = clock.elapsed();
    // Read now: a socket that is gone has no address.
    const { ip } = ctx;
    ctx.res.once('close', () => {
      const { state } = ctx;
      const line = {
        method: ctx.method,
        path: withoutKeys(ctx.path).slice(0, loggedPathMax),
        status: ctx.status,
        ms: Math.round(clock.elapsed() - startedMs),
        ip,
        ...(state.caller === undefined ? {} : { account: state.caller.accountId }),
        ...(ctx.res.writableFinished ? {} : { aborted: true }),
        ...(config.log.queries && state.queryText !== undefined ? { query: withoutKeys(state.queryText) } : {}),
      };
      state.log.info(line, 'request');
    });
    return next();
  };
}
