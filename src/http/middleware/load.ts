import type { Room } from '../../lib/limiter.ts';
import { Overloaded } from '../errors/errors.ts';
import { goneSignal } from '../server/client-aborted.ts';
import type { Context, Middleware } from '../state.ts';

/** A place until the answer is made; whether it is read is bounded elsewhere. */
export function admitted(room: Room): Middleware {
  return async (ctx, next) => {
    const leave = await room.enter();
    if (leave === null) throw new Overloaded();
    ctx.state.leavePlace = leave;
    return next();
  };
}

/** A place while everything behind it works. Comes before anything is counted: who is refused here pays nothing. */
export function placed(room: Room): Middleware {
  return (ctx, next) => inPlace(room, ctx, next);
}

/** The same for a part of the work. */
export async function inPlace(room: Room, ctx: Context, work: () => Promise<void>): Promise<void> {
  const leave = await room.enter(goneSignal(ctx));
  if (leave === null) throw new Overloaded();
  try {
    await work();
  } finally {
    leave();
  }
}
