import { limitAddresses } from '../../lib/client-address.ts';
import { createLimiter, noQueue } from '../../lib/concurrency/limiter.ts';
import { minuteMs } from '../../lib/durations.ts';
import type { Clock } from '../../ports.ts';
import type { Context } from '../context.ts';
import { onFinished } from '../server/on-finished.ts';

/** Limits of refused keys. */
export interface RefusalSettings {
  /** Refusals per address and minute that are answered at once. */
  readonly freePerMinute: number;
  /** Delay of further ones, in milliseconds. */
  readonly delayMs: number;
  /** Maximum number of delayed answers in this process. More are sent at once, and their connections closed. */
  readonly heldMax: number;
}

/**
 * Delays answers to bad keys once an address has sent many. Valid keys from the same address are neither counted nor
 * delayed.
 */
export function throttleRefusals(settings: RefusalSettings, clock: Clock): (ctx: Context) => Promise<void> {
  const takeFree = limitAddresses({ max: settings.freePerMinute, perMs: minuteMs }, clock.elapsed);
  const delayed = createLimiter({ slotsMax: settings.heldMax, ...noQueue });
  return async (ctx) => {
    if (takeFree(ctx.ip).ok) return;
    const release = delayed.tryAcquire();
    if (release === null) {
      // The client must connect again for each further try.
      ctx.set('Connection', 'close');
      return;
    }
    try {
      await waitUnlessFinished(ctx, settings.delayMs);
    } finally {
      release();
    }
  };
}

function waitUnlessFinished(ctx: Context, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  onFinished(ctx, resolve);
  return promise.finally(() => clearTimeout(timer));
}
