import { createLimiter, noQueue } from '../../lib/concurrency/limiter.ts';
import { minuteMs } from '../../lib/durations.ts';
import { createRateLimiter } from '../../lib/rate-limiter.ts';
import type { Clock } from '../../ports.ts';
import type { Context } from '../context.ts';
import { onFinished } from '../server/on-finished.ts';

/** How refused keys, and refused payments, are slowed down. */
export interface RefusalSettings {
  /** Refusals of an address a minute that are answered at once. */
  readonly freePerMinute: number;
  /** How long further ones are held back, in milliseconds. */
  readonly delayMs: number;
  /** Answers held back at the same time, by this process. Beyond, they are sent and their connections closed. */
  readonly heldMax: number;
}

/** Addresses that are remembered; the least recently refused are forgotten first. */
const addressesMax = 10_000;
const addressTextMax = 64;

/**
 * Delays the answers to bad keys, or to bad payments, once an address has sent many. Only refusals pass here, after the
 * lookup of the key: good keys from the same address are neither counted nor delayed. A delayed answer costs a
 * connection and a timer.
 */
export function throttleRefusals(settings: RefusalSettings, clock: Clock): (ctx: Context) => Promise<void> {
  const rates = { max: settings.freePerMinute, perMs: minuteMs, keysMax: addressesMax };
  const free = createRateLimiter(rates, clock.elapsed);
  const delayed = createLimiter({ slotsMax: settings.heldMax, ...noQueue });
  return async (ctx) => {
    if (free.take(clientNetwork(ctx.ip)).ok) return;
    const release = delayed.tryAcquire();
    if (release === null) {
      // To continue, the client must connect again each time.
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

/** What counts as one address: an IPv4 address, or an IPv6 network of 64 bits, which one customer has to himself. */
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
