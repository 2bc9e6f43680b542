import type { Middleware } from '../../context.ts';
import { Overloaded } from '../../errors/errors.ts';
import { clientNetwork } from '../../request/throttle-refusals.ts';

/** Of the requests that may be in progress, changes may be a quarter, and those of one address a quarter of that. */
const part = 4;

/**
 * Bounds how many changes are in progress. A change has a body, which may take its time to arrive, and anybody may send
 * one without being known: whoever sends thousands slowly would otherwise take every place from those who have a key.
 */
export function limitChanges(requestsMax: number): Middleware {
  const changesMax = Math.ceil(requestsMax / part);
  const ofOneMax = Math.ceil(changesMax / part);
  const active = new Map<string, number>();
  let total = 0;
  return async (ctx, next) => {
    const address = clientNetwork(ctx.ip);
    const before = active.get(address) ?? 0;
    if (total >= changesMax || before >= ofOneMax) throw new Overloaded();
    total += 1;
    active.set(address, before + 1);
    try {
      await next();
    } finally {
      total -= 1;
      const left = (active.get(address) ?? 0) - 1;
      if (left > 0) active.set(address, left);
      else active.delete(address);
    }
  };
}
