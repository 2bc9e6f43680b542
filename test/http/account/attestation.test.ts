import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RegistrationResponseJSON, verifyRegistrationResponse } from '@simplewebauthn/server';
import { readNewPasskey } from '../../../src/account/passkeys.ts';
import { passkeyCreation } from '../../../src/http/account/credentials/credentials.ts';
import { newPasskey, type Twist } from '../../support/account/authenticator.ts';
import { androidKey, selfSigned } from '../../support/account/certificates.ts';
import { forFile } from '../../support/for-file.ts';

const place = { origin: 'https://search.example', domain: 'search.example' };
const challenge = Buffer.alloc(32, 7).toString('base64url');

/** A server that a certificate names, with the number of requests to it. */
async function namedServer() {
  const found = { requests: 0 };
  const server = createServer((_request, response) => {
    found.requests += 1;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    found,
    url: `http://127.0.0.1:${port}/crl`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const named = await forFile(namedServer());

function created(twist: Twist): RegistrationResponseJSON {
  const options = { challenge, rp: { id: place.domain }, user: { id: 'x' } };
  const { response, ...rest } = passkeyCreation.parse(newPasskey(place.origin).create(options, twist));
  const { transports: _, ...sent } = response;
  return { ...rest, response: sent, clientExtensionResults: {} };
}

test('an attestation by certificates is refused, and nothing that they name is fetched', async () => {
  const response = created({ attest: androidKey(named.url) });
  expect(await readNewPasskey(place, challenge, response)).toBeNull();
  expect(named.found.requests).toBe(0);
  // The library alone would fetch it.
  const expected = { expectedChallenge: challenge, expectedOrigin: place.origin, expectedRPID: place.domain };
  await verifyRegistrationResponse({ response, ...expected }).catch(() => undefined);
  expect(named.found.requests).toBeGreaterThan(0);
});

// Their names alone decide: each carries the same chain of certificates.
test.each(['packed', 'tpm', 'fido-u2f', 'apple', 'android-safetynet', 'made-up'])(
  'an attestation of the format %s with certificates is refused, and nothing that they name is fetched',
  async (format) => {
    const before = named.found.requests;
    const response = created({ attest: (about) => ({ ...androidKey(named.url)(about), format }) });
    expect(await readNewPasskey(place, challenge, response)).toBeNull();
    expect(named.found.requests).toBe(before);
  },
);

test.each<[string, Twist]>([
  ['no attestation', {}],
  ["a device's own signature", { attest: selfSigned }],
])('a passkey with %s is accepted', async (_, twist) => {
  expect(await readNewPasskey(place, challenge, created(twist))).toMatchObject({ signCount: 1, backedUp: false });
});
