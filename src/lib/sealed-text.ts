import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { deflate, inflate } from './deflate.ts';

// What a caller keeps for us and nobody else reads or writes: a cursor.

/** What a sealed text is good for; it opens for exactly the same. */
export interface SealedForm {
  /** Has keys of its own. */
  readonly purpose: string;
  /** Of the content's form: one character, with which the text begins. */
  readonly version: string;
  /** What it belongs to, such as a hash of the other parameters. */
  readonly sealedFor: string;
}

const cipherName = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const overheadBytes = nonceBytes + tagBytes;

/**
 * One secret makes two keys for each purpose. As objects of Node's: bytes would be made a key with each use, which takes
 * three times as long as the use (measured).
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
  /** With the version of the content's form. */
  readonly purpose: string;
  readonly secret: string;
}

function keysFor(form: SealedForm, secret: string) {
  const purpose = `${form.purpose} ${form.version}`;
  return keysOf.memo(`${purpose}\n${secret}`, { context: { purpose, secret } });
}

/**
 * Opaque and safe in an address: encrypted and signed (AES-256-GCM). The nonce is made of all that is sealed: the same
 * content has the same text, and two different ones share a nonce once in some 2^48.
 * @param secret shared by all processes of an installation
 */
export function seal(content: string, form: SealedForm, secret: string): string {
  // Halves the digits of a vector, and the names of a region's countries.
  const body = deflate(content);
  const keys = keysFor(form, secret);
  const nonce = createHmac('sha256', keys.nonce).update(form.sealedFor).update(body).digest().subarray(0, nonceBytes);
  const cipher = createCipheriv(cipherName, keys.seal, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(form.sealedFor));
  const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
  return form.version + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Null where it is not ours, not for this form, or its JSON is not of the schema. */
export function unseal<Content>(
  text: string,
  form: SealedForm,
  schema: z.ZodType<Content>,
  secret: string,
): Content | null {
  const { version, sealedFor } = form;
  if (!text.startsWith(version) || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text.slice(version.length), 'base64url');
  // Decoding is lenient about the last letter's spare bits; only the text that was given out is accepted.
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
    // Not sealed by us, or not for this.
    return null;
  }
  const parsed = schema.safeParse(JSON.parse(inflate(body)));
  return parsed.success ? parsed.data : null;
}
