import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';

// Texts such as cursors, which callers keep but can neither read nor forge.

/** The purpose of a sealed text, which can only be opened for the same purpose. */
export interface SealedForm {
  /** Each purpose has its own keys. */
  readonly purpose: string;
  /** The version of the content's format: the text's first character. */
  readonly version: string;
  /** The context of the text, such as a hash of the other parameters. */
  readonly sealedFor: string;
}

const cipherName = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const overheadBytes = nonceBytes + tagBytes;

/**
 * Two keys for each purpose and secret. They are key objects, because converting bytes takes three times as long as a
 * use.
 */
const keysOf = new LRUCache<string, { readonly seal: KeyObject; readonly nonce: KeyObject }, KeySource>({
  max: 8,
  memoMethod: (_name, _stale, { context: { purpose, secret } }) => {
    const derive = (use: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `${purpose} ${use}`, keyBytes)));
    return { seal: derive('seal'), nonce: derive('nonce') };
  },
});

interface KeySource {
  /** The prefix with the version of the content's format. */
  readonly purpose: string;
  readonly secret: string;
}

function keysFor(form: SealedForm, secret: string) {
  const purpose = `${form.purpose} ${form.version}`;
  return keysOf.memo(`${purpose}\n${secret}`, { context: { purpose, secret } });
}

/** Deflates in 48 KB of memory. By default, it takes 272 KB, and 10 µs instead of 6 for a usual cursor. */
const deflating = { windowBits: 13, memLevel: 5, chunkSize: 4_096 } as const;

/**
 * Returns the content encrypted and signed (AES-256-GCM), safe in an address. The nonce is derived from the content, so
 * the same content has the same text, and two different contents share a nonce with a probability of about 2^-48.
 * @param secret shared by all processes of an installation
 */
export function seal(content: string, form: SealedForm, secret: string): string {
  // Halves the size of vectors and of lists of countries.
  const body = deflateRawSync(content, deflating);
  const keys = keysFor(form, secret);
  const nonce = createHmac('sha256', keys.nonce).update(form.sealedFor).update(body).digest().subarray(0, nonceBytes);
  const cipher = createCipheriv(cipherName, keys.seal, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(form.sealedFor));
  const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
  return form.version + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Opens a sealed text. Returns null if it was not sealed here, or does not match the format or the schema. */
export function unseal<Content>(
  text: string,
  form: SealedForm,
  schema: z.ZodType<Content>,
  secret: string,
): Content | null {
  const { version, sealedFor } = form;
  if (!text.startsWith(version) || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text.slice(version.length), 'base64url');
  // Decoding ignores spare bits of the last letter, but only the original text is accepted.
  const canonical = version + bytes.toString('base64url') === text;
  if (bytes.length <= overheadBytes || !canonical) return null;
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(cipherName, keysFor(form, secret).seal, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(sealedFor));
  decipher.setAuthTag(bytes.subarray(nonceBytes, overheadBytes));
  const body = decipher.update(bytes.subarray(overheadBytes));
  try {
    decipher.final();
  } catch {
    // The text was changed, or sealed for another use.
    return null;
  }
  const parsed = schema.safeParse(JSON.parse(inflate(body)));
  return parsed.success ? parsed.data : null;
}

/** Limit of inflated texts, in bytes. */
const textBytesMax = 262_144;

/** Throws if the bytes are not deflated text, or the text is longer than 256 KiB. */
function inflate(bytes: Uint8Array): string {
  return inflateRawSync(bytes, { maxOutputLength: textBytesMax }).toString('utf8');
}
