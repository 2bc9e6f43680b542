import { createHash } from 'node:crypto';
import type { Context, Middleware } from '../context.ts';
import { type ContentCoding, codingFor, compress } from './content-coding.ts';
import { hasTag } from './entity-tag.ts';

/** Shorter files are sent as they are: packing them saves no packet. In bytes. */
const packedFrom = 1_400;
const hashCharacters = 27;

/** A file that stays the same as long as the process lives: made, hashed and packed once, whoever asks for it. */
export interface StaticFile {
  readonly type: string;
  /** Names this content: another content has another one. */
  version(): string;
  /** The bytes in a coding, the same memory for all; in the coding that it really is. */
  packed(coding: ContentCoding): Promise<{ readonly coding: ContentCoding; readonly bytes: Buffer }>;
}

/**
 * @param type without its charset, which is UTF-8
 * @param make called when the file is first asked for
 * @param packing `shared`: as small as can be, which is worth its time for what is asked for often
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
    // A failure concerns those who wait for it; the next one tries again.
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

/** It may be kept for an hour, and then asked whether it still is so. */
const shortly = 'max-age=3600';
/** Under an address that names the content, there will never be another. */
const forever = 'public, max-age=31536000, immutable';

/**
 * Answers with a file. All who are sent it share its memory, so one who does not read it holds next to nothing.
 * @param options `namesContent`: whether the address itself names the content, without the version as `v`. `shared`:
 * whether caches on the way may keep it, too; not where a caller has a say in what it holds
 */
export function sendStatic(file: StaticFile, { namesContent = false, shared = true } = {}): Middleware {
  const keepers = shared ? 'public' : 'private';
  return async (ctx: Context) => {
    const version = file.version();
    const tag = `W/"${version}"`;
    ctx.set('Cache-Control', namesContent || ctx.query.v === version ? forever : `${keepers}, ${shortly}`);
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
