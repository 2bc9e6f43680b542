import { clientNetwork } from '../../lib/client-address.ts';
import type { Deps } from '../../ports.ts';
import { type CallerClass, callerClasses } from '../caller-classes.ts';
import type { Context, Middleware } from '../context.ts';
import { RequestTimeout } from '../errors/errors.ts';
import { readBody } from '../request/read-json.ts';
import { createMemoryBudget } from '../server/memory-budget.ts';

/** Reads the body within the limits of its caller's class. A handler gets the body, or its error, from `bodyOf`. */
export function readBodies({ config, log }: Pick<Deps, 'config' | 'log'>): Middleware {
  const message = 'connections cut: too many bytes of requests were not sent';
  const budget = () => createMemoryBudget(config.http.bodiesMaxBytes, message, log);
  const budgets: Readonly<Record<CallerClass, ReturnType<typeof budget>>> = {
    keyed: budget(),
    account: budget(),
    payer: budget(),
    visitor: budget(),
  };
  return async (ctx, next) => {
    const { callerClass, caller } = ctx.state;
    const { bodyMaxBytes, bodyTimeoutMs } = callerClasses[callerClass];
    const owner = caller === undefined ? clientNetwork(ctx.ip) : `account ${caller.accountId}`;
    const bytes = Math.min(ctx.request.length ?? bodyMaxBytes, bodyMaxBytes);
    const release = budgets[callerClass].add(owner, bytes, () => ctx.req.socket.destroy());
    try {
      const body = await within(bodyTimeoutMs, readBody(ctx, bodyMaxBytes));
      ctx.state.body = () => body;
    } catch (error) {
      ctx.state.body = () => {
        throw error;
      };
    } finally {
      release();
    }
    return next();
  };
}

function within<Value>(timeoutMs: number, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new RequestTimeout()), timeoutMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Returns the body as any JSON value. Throws `BodyNotJson`, `BodyTooLarge`, `MalformedBody` or `RequestTimeout`. */
export function bodyOf({ state: { body } }: Context): unknown {
  if (body === undefined) throw new Error('the route has no gate for its body');
  return body();
}
