import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** What `deflate` makes of longer texts is not read. */
const textBytesMax = 262_144;

/** A text in fewer bytes. For short ones: it blocks. */
export function deflate(text: string): Buffer {
  return deflateRawSync(text);
}

/** @param bytes of `deflate`; throws where they are not, or the text is longer than 256 KiB */
export function inflate(bytes: Uint8Array): string {
  return inflateRawSync(bytes, { maxOutputLength: textBytesMax }).toString('utf8');
}
