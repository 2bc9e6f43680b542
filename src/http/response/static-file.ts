import { createHash } from 'node:crypto';
import { lazily } from '../../lib/lazily.ts';
import type { Context, Middleware } from '../context.ts';
import { compress, type Packed } from './content-coding.ts';
import { hasTag } from './entity-tag.ts';

const hashCharacters = 27;

/** Caches may keep the file for an hour and must then revalidate it. */
const shortly = 'max-age=3600';
/** The content of an address with a hash never changes. */
const forever = 'public, max-age=31536000, immutable';

/**
 * Returns a handler that answers with a file, which is created at the first request, and compressed once per coding. All
 * answers share its memory.
 * @param type without its charset, which is UTF-8
 * @param options `namesContent`: true if the path includes a hash of the content. `shared`: true if all callers get the
 * same file; false if its content depends on the request, so that shared caches must not keep it
 */
export function sendStatic(type: string, make: () => string, { namesContent = false, shared = true } = {}): Middleware {
  const keepers = shared ? 'public' : 'private';
  const content = lazily(() => {
    const bytes = Buffer.from(make());
    return { bytes, tag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, hashCharacters)}"` };
  });
  // A caller can invent addresses, so a file for one of them is compressed quickly.
  const pack = (coding: Packed) => lazily(() => compress(content().bytes, coding, shared ? 'shared' : 'once'));
  const packed = { br: pack('br'), gzip: pack('gzip') };
  return (ctx: Context) => {
    const { bytes, tag } = content();
    ctx.set('Cache-Control', namesContent ? forever : `${keepers}, ${shortly}`);
    ctx.set('ETag', tag);
    if (hasTag(ctx.get('If-None-Match'), tag)) {
      ctx.status = 304;
      return;
    }
    ctx.set('Content-Type', `${type}; charset=utf-8`);
    ctx.body = bytes;
    ctx.state.packed = (coding) => packed[coding]();
  };
}
