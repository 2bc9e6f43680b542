import type { Middleware } from '../context.ts';
import { codingFor, compress } from '../response/content-coding.ts';

/** Size in bytes from which answers are compressed. Compressing shorter ones saves no packet. */
const compressedFrom = 1_400;

/**
 * Compresses answers into one piece: a stream would hold its compressor's memory until the last byte is read, and a
 * dozen listeners with it.
 */
export const compressBody: Middleware = async (ctx, next) => {
  await next();
  const { body } = ctx;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
  if (ctx.method === 'HEAD' && ctx.state.packed === undefined) return;
  const coding = Buffer.byteLength(body) < compressedFrom ? 'identity' : codingFor(ctx.req);
  if (coding === 'identity') return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  ctx.body = await (ctx.state.packed?.(coding) ?? compress(bytes, coding));
  ctx.set('Content-Encoding', coding);
};
