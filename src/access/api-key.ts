import { hash } from 'node:crypto';

// es_live_ or es_test_, 30 random base62 characters (178 bits), and a checksum of 6. The fixed beginning and the
// checksum let scanners recognise a leaked key and let a mistyped one be refused without a look-up. They are no
// secret and no proof: whether a key is good, only the database knows.

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;
// Made of two lengths above.
// nosemgrep: no-expressions-from-values
const form = new RegExp(`^es_(?:live|test)_[0-9A-Za-z]{${randomLength + checksumLength}}$`);
/** The beginning of a key, which may be kept and shown to distinguish keys. */
const shownLength = 12;

export type KeyEnvironment = 'live' | 'test';

/** A text that has a key's form, as its hash, or one that can't be a key. */
export type ParsedApiKey = { readonly ok: true; readonly hash: Buffer } | { readonly ok: false };

/** Returns a new key. `randomBytes(size)` must be cryptographically strong. */
export function generateApiKey(environment: KeyEnvironment, randomBytes: (size: number) => Uint8Array): string {
  const secret = `es_${environment}_${randomText(randomLength, randomBytes)}`;
  return secret + checksum(secret);
}

/** Checks form and checksum of what a caller sent. */
export function parseApiKey(text: string): ParsedApiKey {
  if (!form.test(text)) return { ok: false };
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return { ok: false };
  return { ok: true, hash: hashApiKey(text) };
}

/** SHA-256, 32 bytes: what is stored of a key. The key is random enough to need neither salt nor a slow hash. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Length of a key's prefix. */
export function environmentOf(prefix: string): KeyEnvironment {
  return prefix.startsWith('es_test_') ? 'test' : 'live';
}

/** Returns the part of a key that may be shown after its creation. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, shownLength);
}

// A byte is taken only below the largest multiple of 62, else the first letters would be likelier than the last.
function randomText(length: number, randomBytes: (size: number) => Uint8Array): string {
  const fairBelow = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < fairBelow && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let at = 0; at < checksumLength; at += 1) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

// The common CRC-32 (reflected, polynomial 0xEDB88320); keys are short, so no table.
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
