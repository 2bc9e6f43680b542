import type { CallEndpoint } from '../../access/calls.ts';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import { toApiError } from '../errors/errors.ts';

/**
 * Counts an account's requests by their outcome. A request counts as its cost in calls, so that the sum matches the
 * usage of the plan, and a free request counts as one.
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

/** Returns true if charged work failed because its caller had left. */
function isPaidAndAborted({ state, res }: Context): boolean {
  return state.cost !== undefined && res.destroyed;
}
