import { createLimiter } from '../../lib/concurrency/limiter.ts';
import type { Middleware } from '../context.ts';
import { codingFor, compress, compressedAtOnce } from '../response/content-coding.ts';

/** Size in bytes from which answers are compressed. Compressing shorter ones saves no packet. */
const compressedFrom = 1_400;
/** Node has four threads for compression. A body that gets none within a second is sent uncompressed. */
const threads = { slotsMax: 4, waitingMax: 512, waitMs: 1_000, stallMs: 1_000 } as const;

/**
 * Compresses answers into one piece: a stream would hold its compressor's memory until the last byte is read, and a
 * dozen listeners with it.
 */
export function compressBody(): Middleware {
  const limiter = createLimiter(threads);

  /** Returns null if no thread is free in time. */
  async function compressInTurn(bytes: Buffer, coding: 'br' | 'gzip'): Promise<Buffer | null> {
    if (bytes.length <= compressedAtOnce) return compress(bytes, coding, 'once');
    const release = await limiter.acquire();
    if (release === null) return null;
    return compress(bytes, coding, 'once').finally(release);
  }

  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
    if (ctx.method === 'HEAD' || ctx.res.hasHeader('Content-Encoding')) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (bytes.length < compressedFrom) return;
    const coding = codingFor(ctx.req);
    if (coding === 'identity') return;
    const compressed = await compressInTurn(bytes, coding);
    if (compressed === null) return;
    ctx.body = compressed;
    ctx.set('Content-Encoding', coding);
  };
}
