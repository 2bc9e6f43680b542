import type { ConcurrencyLimiter, Release } from '../../lib/concurrency/limiter.ts';
import type { CallerClass } from '../caller-classes.ts';
import type { Context, Middleware } from '../context.ts';
import { Overloaded } from '../errors/errors.ts';
import { clientAborted } from '../server/on-finished.ts';

/** Holds a slot of the caller's class until the answer is built. A memory budget limits answers that are not read. */
export function limitRequests(limiters: Readonly<Record<CallerClass, ConcurrencyLimiter>>): Middleware {
  return ({ state }, next) => {
    const release = limiters[state.callerClass].tryAcquire();
    if (release === null) throw new Overloaded();
    state.releaseSlot = release;
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
