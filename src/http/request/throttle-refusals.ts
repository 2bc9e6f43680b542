import { createLimiter, noQueue } from '../../lib/concurrency/limiter.ts';
import { minuteMs } from '../../lib/durations.ts';
import { createRateLimiter } from '../../lib/rate-limiter.ts';
import type { Clock } from '../../ports.ts';
import type { Context } from '../context.ts';
import { onFinished } from '../server/on-finished.ts';

/** Limits of refused keys and refused payments. */
export interface RefusalSettings {
  /** Refusals per address and minute that are answered at once. */
  readonly freePerMinute: number;
  /** Delay of further ones, in milliseconds. */
  readonly delayMs: number;
  /** Maximum number of delayed answers in this process. More are sent at once, and their connections closed. */
  readonly heldMax: number;
}

/** Maximum number of remembered addresses. The least recently refused are forgotten first. */
const addressesMax = 10_000;
const addressTextMax = 64;

/**
 * Delays answers to bad keys or bad payments once an address has sent many. Valid keys from the same address are
 * neither counted nor delayed.
 */
export function throttleRefusals(settings: RefusalSettings, clock: Clock): (ctx: Context) => Promise<void> {
  const rates = { max: settings.freePerMinute, perMs: minuteMs, keysMax: addressesMax };
  const free = createRateLimiter(rates, clock.elapsed);
  const delayed = createLimiter({ slotsMax: settings.heldMax, ...noQueue });
  return async (ctx) => {
    if (free.take(clientNetwork(ctx.ip)).ok) return;
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

/**
 * Returns the unit that is counted as one address: an IPv4 address, or an IPv6 network of 64 bits, which one customer
 * owns.
 */
export function clientNetwork(ip: string): string {
  const text = ip.slice(0, addressTextMax).toLowerCase();
  if (!text.includes(':')) return text;
  if (text.includes('.')) return text.slice(text.lastIndexOf(':') + 1);
  const [head = '', tail] = text.split('::');
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':');
}

function groups(text: string): readonly string[] {
  return text === '' ? [] : text.split(':').map((group) => group.replace(/^0+(?=.)/, ''));
}
