import type { CallEndpoint } from '../../access/calls.ts';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import { toApiError } from '../errors/errors.ts';

/**
 * Counts what an account asks for, by what came of it. Comes before the key: whoever has none belongs to no account. A
 * request counts for what it costs, so that the sum is that of the plan's month, and for one where it costs nothing.
 */
export function countCalls({ calls }: Pick<Deps, 'calls'>, endpoint: CallEndpoint): Middleware {
  return async (ctx, next) => {
    let outcome = 'answered';
    try {
      await next();
    } catch (thrown) {
      if (!isPaidAndAborted(ctx)) outcome = toApiError(thrown).reply.code;
      throw thrown;
    } finally {
      const { caller, cost = 1 } = ctx.state;
      if (caller !== undefined && cost > 0)
        calls.record({ accountId: caller.accountId, endpoint, outcome, calls: cost });
    }
  };
}

/** Work that was paid for, and failed because its caller had left. */
function isPaidAndAborted({ state, res }: Context): boolean {
  return state.cost !== undefined && res.destroyed;
}
