import { codingFor, pack } from '../content-coding.ts';
import type { Middleware } from '../state.ts';

/** Shorter answers are sent as they are: packing them saves no packet. In bytes. */
const packedFrom = 1_400;

/**
 * Packs answers with br or gzip, whichever the caller takes, into one piece: a stream would hold its packer's memory
 * until the last byte is read, and a dozen listeners with it.
 */
export function compressed(): Middleware {
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
    if (ctx.method === 'HEAD' || ctx.res.hasHeader('Content-Encoding')) return;
    const coding = codingFor(ctx.get('Accept-Encoding'));
    if (coding === 'identity') return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (bytes.length < packedFrom) return;
    ctx.body = await pack(bytes, coding, 'once');
    ctx.set('Content-Encoding', coding);
  };
}
