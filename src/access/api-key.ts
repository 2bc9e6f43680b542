import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

// es_live_ or es_test_, 30 random base62 characters (178 bits), and a checksum of 6. The prefix and the checksum let
// scanners recognise a leaked key, and let the API refuse a mistyped one without a lookup. They prove nothing: only the
// database decides whether a key is valid.

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;
// Built from the two lengths above.
// nosemgrep: no-expressions-from-values
const form = new RegExp(`^es_(?:live|test)_[0-9A-Za-z]{${randomLength + checksumLength}}$`);
/** The prefix of a key, which may be stored and shown to distinguish keys. */
const shownLength = 12;

export type KeyEnvironment = 'live' | 'test';

/** The hash of a text with the form of a key, or a text that can't be a key. */
export type ParsedApiKey = { readonly ok: true; readonly hash: Buffer } | { readonly ok: false };

/** Returns a new key. `randomBytes(size)` must be cryptographically strong. */
export function generateApiKey(environment: KeyEnvironment, randomBytes: (size: number) => Uint8Array): string {
  const secret = `es_${environment}_${randomText(randomLength, randomBytes)}`;
  return secret + checksum(secret);
}

/** Checks the form and the checksum of a text from a caller. */
export function parseApiKey(text: string): ParsedApiKey {
  if (!form.test(text)) return { ok: false };
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return { ok: false };
  return { ok: true, hash: hashApiKey(text) };
}

/**
 * Returns the SHA-256 (32 bytes) under which a key is stored. Keys are random enough to need neither a salt nor a slow
 * hash.
 */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

export function environmentOf(prefix: string): KeyEnvironment {
  return prefix.startsWith('es_test_') ? 'test' : 'live';
}

/** Returns the part of a key that may be shown after its creation. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, shownLength);
}

// Bytes from the largest multiple of 62 on are skipped. Otherwise the first letters would be more likely than the last.
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
