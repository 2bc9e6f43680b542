import { createHash, randomInt } from 'node:crypto';

/** What a key is for; `test` keys are told apart by people and scanners, not by the API. */
export const keyModes = ['live', 'test'] as const;
export type KeyMode = (typeof keyModes)[number];

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 30;
const checksumLength = 6;
const form = new RegExp(`^es_(${keyModes.join('|')})_([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`);

/** How many characters of a key may be shown: enough to tell one's own keys apart, far too few to guess one. */
const prefixLength = 'es_live_'.length + 4;

/** A key that has the form and the checksum of one. Whether it exists is for Postgres to say. */
export interface ParsedKey {
  readonly mode: KeyMode;
  /** May be shown and stored. */
  readonly prefix: string;
}

/** A new key, about 178 bits of chance. It is shown once and never stored. */
export function createApiKey(mode: KeyMode): ParsedKey & { readonly key: string } {
  const secret = Array.from({ length: secretLength }, () => digits.charAt(randomInt(digits.length))).join('');
  const body = `es_${mode}_${secret}`;
  return { key: body + checksum(body), mode, prefix: body.slice(0, prefixLength) };
}

/** @returns null for what can't be a key: another form, or a typing error */
export function parseApiKey(text: string): ParsedKey | null {
  const match = form.exec(text);
  const mode = keyModes.find((candidate) => candidate === match?.[1]);
  if (match === null || mode === undefined) return null;
  const body = text.slice(0, -checksumLength);
  return checksum(body) === match[3] ? { mode, prefix: text.slice(0, prefixLength) } : null;
}

/** SHA-256, 32 bytes: what is stored of a key, and what finds it. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

/** Finds typing errors and lets scanners know a leaked key; it protects nothing, so it needs no secret. */
function checksum(body: string): string {
  let rest = createHash('sha256').update(body, 'utf8').digest().readUInt32BE(0);
  let text = '';
  for (let place = 0; place < checksumLength; place += 1) {
    text = digits.charAt(rest % digits.length) + text;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}
