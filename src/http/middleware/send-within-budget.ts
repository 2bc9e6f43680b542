import { clientNetwork } from '../../lib/client-address.ts';
import type { Context, Middleware } from '../context.ts';
import type { MemoryBudget } from '../server/memory-budget.ts';
import { onFinished } from '../server/on-finished.ts';

/**
 * Counts the memory of each answer until it has left. The request's slot is released as soon as the answer is built and
 * compressed, so that slow readers hold none.
 */
export function sendWithinBudget(budget: MemoryBudget): Middleware {
  return async (ctx, next) => {
    // Read early, because a closed socket has no address.
    const address = clientNetwork(ctx.ip);
    try {
      await next();
    } finally {
      ctx.state.releaseSlot?.();
    }
    onFinished(
      ctx,
      budget.add(address, bytesOf(ctx), () => ctx.req.socket.destroy()),
    );
  };
}

function bytesOf({ state, body }: Context): number {
  if (state.packed !== undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  return Buffer.isBuffer(body) ? body.length : 0;
}
