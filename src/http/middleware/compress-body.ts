import { LRUCache } from 'lru-cache';
import type { Middleware } from '../context.ts';
import { codingFor, pack } from '../response/content-coding.ts';

/** Shorter answers are sent as they are: packing them saves no packet. In bytes. */
const packedFrom = 1_400;
/** Offers that are kept packed: an installation makes a handful, and anybody may ask for them. */
const offersMax = 32;
const paymentRequired = 402;

/**
 * Packs answers with br or gzip, whichever the caller takes, into one piece: a stream would hold its packer's memory
 * until the last byte is read, and a dozen listeners with it.
 */
export function compressBody(): Middleware {
  const offers = new LRUCache<string, Buffer>({ max: offersMax });
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
    if (ctx.method === 'HEAD' || ctx.res.hasHeader('Content-Encoding')) return;
    const coding = codingFor(ctx.get('Accept-Encoding'));
    if (coding === 'identity') return;
    const name = ctx.status === paymentRequired && typeof body === 'string' ? `${coding} ${body}` : null;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (bytes.length < packedFrom) return;
    const packed = (name === null ? undefined : offers.get(name)) ?? (await pack(bytes, coding, 'once'));
    if (name !== null) offers.set(name, packed);
    ctx.body = packed;
    ctx.set('Content-Encoding', coding);
  };
}
