import { parseSiweMessage } from 'viem/siwe';
import type { Purpose } from '../../../src/account/answers.ts';
import { canWriteSignInMessage, readSignInMessage, writeSignInMessage } from '../../../src/account/sign-in-message.ts';
import { waysAt } from '../../../src/http/account/credentials/sign-in-place.ts';

const place = { origin: 'https://search.example', chainId: 8453 };
const address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const issuedAtMs = Date.UTC(2026, 0, 31, 12);
const expiresAtMs = issuedAtMs + 600_000;

function message(purpose: Purpose, name: string | null): string {
  const account = name === null ? null : { id: 7, name };
  return writeSignInMessage(place, { address, purpose, account, nonce: 'abcdefgh12', issuedAtMs, expiresAtMs });
}

test('a sign-in message has the form of EIP-4361', () => {
  expect(message('sign-in', null)).toBe(`search.example wants you to sign in with your Ethereum account:
0x70997970C51812dc3A010C7d01b50e0d17dc79C8

Sign in to Entity Search.

URI: https://search.example/account
Version: 1
Chain ID: 8453
Nonce: abcdefgh12
Issued At: 2026-01-31T12:00:00.000Z
Expiration Time: 2026-01-31T12:10:00.000Z`);
});

test.each<[Purpose, string]>([
  ['sign-in', 'Sign in to Entity Search.'],
  ['confirm', 'Confirm a change of the ways to sign in to the account Example Ltd (number 7) at Entity Search.'],
  [
    'add',
    "Add this wallet to the account Example Ltd (number 7) at Entity Search. The wallet's owner can then sign in to it.",
  ],
  [
    'invitation',
    "Accept an invitation to the account Example Ltd (number 7) at Entity Search. The wallet's owner can then sign in to it.",
  ],
])('a message for the purpose %s states that purpose', (purpose, statement) => {
  expect(parseSiweMessage(message(purpose, 'Example Ltd')).statement).toBe(statement);
});

test.each([
  ['a line break', 'A\nURI: https://evil.example', 'A?URI: https://evil.example'],
  ['all sorts of line breaks', 'A\r\u2028\u2029\u0085B', 'A????B'],
  ['a nonce of its own', 'A\nNonce: 00000000', 'A?Nonce: 00000000'],
  ['letters that no URL contains', 'Müller "株" <b>', 'M?ller ??? ?b?'],
  ['a bidirectional override', 'A\u202egnp', 'A?gnp'],
  ['a great length', 'x'.repeat(500), 'x'.repeat(64)],
  ['half a character at its end', `${'x'.repeat(63)}😀`, `${'x'.repeat(63)}?`],
])('the message names an account without %s in its name', (_, name, shown) => {
  const text = message('add', name);
  expect(parseSiweMessage(text).statement).toContain(` account ${shown} (number 7) `);
  expect(text.split('\n')).toHaveLength(11);
  expect(readSignInMessage(text, place, issuedAtMs)).toBe(address);
});

describe('A sign-in message', () => {
  const good = message('sign-in', null);

  test('is accepted while it is valid', () => {
    expect(readSignInMessage(good, place, issuedAtMs)).toBe(address);
    expect(readSignInMessage(good, place, expiresAtMs - 1)).toBe(address);
    expect(readSignInMessage(good, place, expiresAtMs)).toBeNull();
  });

  test.each([
    ['of another domain', { ...place, origin: 'https://other.example' }],
    ['of another port', { ...place, origin: 'https://search.example:8443' }],
    ['of another scheme', { ...place, origin: 'http://search.example' }],
    ['of another chain', { ...place, chainId: 1 }],
  ])('is refused at a place %s', (_, other) => {
    expect(readSignInMessage(good, other, issuedAtMs)).toBeNull();
  });

  test.each([
    ['no text', ''],
    ['another version', good.replace('Version: 1', 'Version: 2')],
    ['no time', good.replace(/\nIssued At[\s\S]*/, '')],
    ['no expiry', good.replace(/\nExpiration Time.*/, '')],
    ['no address', good.replace(/0x[0-9a-fA-F]{40}/, '0x12')],
    ['an invalid time', good.replace(/Expiration Time: .*/, 'Expiration Time: tomorrow')],
  ])('is refused with %s', (_, text) => {
    expect(readSignInMessage(text, place, issuedAtMs)).toBeNull();
  });
});

test.each([
  ['https://search.example', true],
  ['https://search.example:8443', true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', false],
  ['https://intranet', false],
])('wallets can sign in at %s: %s', (origin, can) => {
  expect(canWriteSignInMessage(origin)).toBe(can);
});

test.each([
  ['https://search.example', true, true, null],
  ['https://search.example:8443', true, true, null],
  ['http://localhost:3000', true, true, null],
  [
    'http://127.0.0.1:3000',
    true,
    false,
    'Open this page at http://localhost:3000/: passkeys need a name in place of an IP address.',
  ],
  [
    'http://[::1]:3000',
    false,
    false,
    'Open this page at http://localhost:3000/: signing in needs a name in place of an IP address.',
  ],
  [
    'http://127.0.0.1',
    true,
    false,
    'Open this page at http://localhost/: passkeys need a name in place of an IP address.',
  ],
  [
    'https://192.0.2.7',
    true,
    false,
    'At an IP address, passkeys need a domain name: the operator sets PUBLIC_URL to an address with one.',
  ],
  ['http://search.example', true, false, 'Passkeys need https: the operator changes PUBLIC_URL.'],
  ['https://intranet', false, true, 'Wallets need a full domain name: the operator changes PUBLIC_URL.'],
  ['http://intranet', false, false, 'Signing in needs https and a full domain name: the operator changes PUBLIC_URL.'],
])('at %s: wallets %s, passkeys %s', (origin, wallets, passkeys, reason) => {
  expect(waysAt(new URL(origin))).toEqual({ wallets, passkeys, reason });
});
