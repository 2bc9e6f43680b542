import { waysAt } from '../../../src/http/account/credentials/sign-in-place.ts';

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
