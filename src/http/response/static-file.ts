import { createHash } from 'node:crypto';
import type { Context, Middleware } from '../context.ts';
import { type ContentCoding, codingFor, compress } from './content-coding.ts';
import { hasTag } from './entity-tag.ts';

/** Size in bytes from which files are compressed. Compressing shorter ones saves no packet. */
const packedFrom = 1_400;
const hashCharacters = 27;

/** A file that does not change while the process runs. It is created, hashed and compressed once. */
export interface StaticFile {
  readonly type: string;
  /** Returns a hash of the content. */
  version(): string;
  /** Returns the shared bytes in the coding, or uncompressed if the file is small. */
  packed(coding: ContentCoding): Promise<{ readonly coding: ContentCoding; readonly bytes: Buffer }>;
}

/**
 * @param type without its charset, which is UTF-8
 * @param make returns the content; called at the first request
 * @param packing `shared` compresses as much as possible, for files that are requested often
 */
export function staticFile(type: string, make: () => string, packing: 'once' | 'shared' = 'shared'): StaticFile {
  let made: { readonly bytes: Buffer; readonly version: string } | undefined;
  const codings = new Map<ContentCoding, Promise<Buffer>>();

  function content() {
    if (made === undefined) {
      const bytes = Buffer.from(make());
      made = { bytes, version: createHash('sha256').update(bytes).digest('base64url').slice(0, hashCharacters) };
    }
    return made;
  }

  function packOnce(coding: 'br' | 'gzip', bytes: Buffer): Promise<Buffer> {
    const known = codings.get(coding);
    if (known !== undefined) return known;
    const packed = compress(bytes, coding, packing);
    codings.set(coding, packed);
    // A failure affects only the waiting requests; the next request tries again.
    packed.catch(() => codings.delete(coding));
    return packed;
  }

  return {
    type: `${type}; charset=utf-8`,
    version: () => content().version,
    async packed(coding) {
      const { bytes } = content();
      if (coding === 'identity' || bytes.length < packedFrom) return { coding: 'identity', bytes };
      return { coding, bytes: await packOnce(coding, bytes) };
    },
  };
}

/** Caches may keep the file for an hour and must then revalidate it. */
const shortly = 'max-age=3600';
/** The content of an address with a hash never changes. */
const forever = 'public, max-age=31536000, immutable';

/**
 * Answers with a file. All answers share its memory.
 * @param options `namesContent`: true if the path includes a hash of the content. `shared`: true if shared caches may
 * keep the file; false if its content depends on the request
 */
export function sendStatic(file: StaticFile, { namesContent = false, shared = true } = {}): Middleware {
  const keepers = shared ? 'public' : 'private';
  return async (ctx: Context) => {
    const version = file.version();
    const tag = `W/"${version}"`;
    ctx.set('Cache-Control', namesContent ? forever : `${keepers}, ${shortly}`);
    ctx.set('ETag', tag);
    if (hasTag(ctx.get('If-None-Match'), tag)) {
      ctx.status = 304;
      return;
    }
    const { coding, bytes } = await file.packed(codingFor(ctx.req));
    ctx.set('Content-Type', file.type);
    if (coding !== 'identity') ctx.set('Content-Encoding', coding);
    ctx.body = bytes;
    ctx.state.sharedBody = true;
  };
}
