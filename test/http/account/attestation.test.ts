import { type RegistrationResponseJSON, verifyRegistrationResponse } from '@simplewebauthn/server';
import { readNewPasskey } from '../../../src/account/passkeys.ts';
import { passkeyCreation } from '../../../src/http/account/credentials/credentials.ts';
import { newPasskey, type Twist } from '../../support/account/authenticator.ts';
import { androidKey, selfSigned } from '../../support/account/certificates.ts';
import { forFile } from '../../support/for-file.ts';
import { startLoopback } from '../../support/proxies/loopback.ts';

const place = { origin: 'https://search.example', domain: 'search.example' };
const challenge = Buffer.alloc(32, 7).toString('base64url');

/** Requests to the server that certificates name. */
let requests = 0;
const named = await forFile(
  startLoopback((_request, response) => {
    requests += 1;
    response.end();
  }),
);
const chain = androidKey(`${named.url}/crl`);

function created(twist: Twist): RegistrationResponseJSON {
  const options = { challenge, rp: { id: place.domain }, user: { id: 'x' } };
  const { response, ...rest } = passkeyCreation.parse(newPasskey(place.origin).create(options, twist));
  const { transports: _, ...sent } = response;
  return { ...rest, response: sent, clientExtensionResults: {} };
}

// Their names alone decide: each carries the same chain of certificates.
test.each(['android-key', 'packed', 'tpm', 'fido-u2f', 'apple', 'android-safetynet', 'made-up'])(
  'an attestation of the format %s with certificates is refused, and no URL in them is fetched',
  async (format) => {
    const response = created({ attest: (about) => ({ ...chain(about), format }) });
    expect(await readNewPasskey(place, challenge, response)).toBeNull();
    expect(requests).toBe(0);
  },
);

test('the library, used alone, fetches URLs that the certificates name', async () => {
  const response = created({ attest: chain });
  const expected = { expectedChallenge: challenge, expectedOrigin: place.origin, expectedRPID: place.domain };
  await verifyRegistrationResponse({ response, ...expected }).catch(() => undefined);
  expect(requests).toBeGreaterThan(0);
});

test.each<[string, Twist]>([
  ['no attestation', {}],
  ["the device's own signature", { attest: selfSigned }],
])('a passkey with %s is accepted', async (_, twist) => {
  expect(await readNewPasskey(place, challenge, created(twist))).toMatchObject({ signCount: 1, backedUp: false });
});
