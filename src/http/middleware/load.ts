import type { ConcurrencyLimiter, Release } from '../../lib/concurrency/limiter.ts';
import type { Context, Middleware } from '../context.ts';
import { Overloaded } from '../errors/errors.ts';
import { clientAborted } from '../server/on-finished.ts';

/** Holds a slot until the answer is built. The response budget limits answers that are not read. */
export function limitRequests(limiter: ConcurrencyLimiter): Middleware {
  return async (ctx, next) => {
    const release = await limiter.acquire();
    if (release === null) throw new Overloaded();
    ctx.state.releaseSlot = release;
    return next();
  };
}

/** Holds a slot for the rest of the request. Must come before calls are charged, because refused requests are free. */
export function limitConcurrency(limiter: ConcurrencyLimiter): Middleware {
  return (ctx, next) =>
    withSlot(limiter, ctx, (release) => {
      ctx.state.releaseEngineSlot = release;
      return next();
    });
}

/** Holds a slot for work, which may free it sooner. */
export async function withSlot<Result>(
  limiter: ConcurrencyLimiter,
  ctx: Context,
  work: (release: Release) => Promise<Result>,
): Promise<Result> {
  const release = await limiter.acquire(clientAborted(ctx));
  if (release === null) throw new Overloaded();
  try {
    return await work(release);
  } finally {
    release();
  }
}
