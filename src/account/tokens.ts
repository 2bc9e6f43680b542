import { createHash, randomBytes } from 'node:crypto';

/** Returns a new token for a cookie or a link: 32 random bytes in base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

const tokenForm = /^[\w-]{43}$/;

/** Returns true if a text has the form of a token. Other texts are not looked up. */
export function isToken(text: string): boolean {
  return tokenForm.test(text);
}

/**
 * Returns the SHA-256 (32 bytes) under which a token is stored. Tokens are random enough to need neither a salt nor a
 * slow hash.
 */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
