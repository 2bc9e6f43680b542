import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import type { NewPasskey, StoredPasskey } from './credentials.ts';
import type { NamedAccount } from './sign-in-message.ts';
import { newToken } from './tokens.ts';

// Passkeys (WebAuthn). They replace name and password, so they must be discoverable, and the device must have verified
// its user: no other check protects the account from a thief.

/** The scope of passkeys: a domain, and the origin of the pages that may request them. */
export interface PasskeyPlace {
  readonly domain: string;
  readonly origin: string;
}

const serviceName = 'Entity Search';
/** EdDSA, ECDSA with P-256 and RSA: every device supports one of them. */
const algorithms = [-8, -7, -257];

// Loaded on first use: the library takes 0.2 s to load and 25 MB, and most processes never see a passkey.
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

type KnownPasskey = Pick<StoredPasskey, 'credentialId' | 'transports'>;

/** Returns the options with which a browser creates a passkey for an account. */
export async function creationOptions(
  { domain }: PasskeyPlace,
  account: NamedAccount,
  existing: readonly KnownPasskey[],
  timeoutMs: number,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: serviceName,
    rpID: domain,
    userID: userHandle(account.id),
    userName: account.name,
    userDisplayName: account.name,
    challenge: new Uint8Array(Buffer.from(newToken(), 'base64url')),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: existing.map(toDescriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
}

/**
 * Returns the options with which a browser signs in with a passkey.
 * @param allowed the passkeys of the account; none if the passkey decides the account
 */
export async function requestOptions(
  { domain }: PasskeyPlace,
  allowed: readonly KnownPasskey[],
  timeoutMs: number,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: domain,
    allowCredentials: allowed.map(toDescriptor),
    challenge: new Uint8Array(Buffer.from(newToken(), 'base64url')),
    timeout: timeoutMs,
    userVerification: 'required',
  });
}

function toDescriptor({ credentialId, transports }: KnownPasskey) {
  return { id: credentialId.toString('base64url'), transports: [...transports] };
}

/** Names an account to devices: no secret, and nothing about its owner. */
function userHandle(accountId: number) {
  return new Uint8Array(Buffer.from(`account ${accountId}`));
}

const clientData = z.object({ challenge: z.string(), crossOrigin: z.boolean().optional() });

/**
 * Returns the challenge that a response claims to answer, unverified; null if the response is not from one of our
 * pages.
 */
export function answeredChallenge(response: { readonly response: { readonly clientDataJSON: string } }): string | null {
  const text = Buffer.from(response.response.clientDataJSON, 'base64url').toString();
  const parsed = clientData.safeParse(parseJson(text));
  // Framed pages can't use passkeys. Our pages forbid framing.
  return parsed.success && parsed.data.crossOrigin !== true ? parsed.data.challenge : null;
}

/**
 * Returns true for an attestation without certificates. The library sends requests to addresses in certificates, which
 * callers choose.
 */
async function hasNoCertificates({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await helpers();
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}

/** Returns the passkey that a browser created for a challenge; null if the response is not valid. */
export async function readNewPasskey(
  { domain, origin }: PasskeyPlace,
  challenge: string,
  response: RegistrationResponseJSON,
): Promise<Omit<NewPasskey, 'name'> | null> {
  const { verifyRegistrationResponse } = await library();
  const verified = await orNull(async () =>
    (await hasNoCertificates(response))
      ? verifyRegistrationResponse({
          response,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: domain,
          requireUserVerification: true,
          supportedAlgorithmIDs: algorithms,
        })
      : null,
  );
  if (verified === null || !verified.verified) return null;
  const { credential, credentialBackedUp } = verified.registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    transports: credential.transports ?? [],
    backedUp: credentialBackedUp,
  };
}

/**
 * Returns the passkey's properties from its answer to a challenge; null if the response is invalid. A counter that did
 * not increase means that the passkey was copied, unless the device doesn't count.
 */
export async function readPasskeyUse(
  { domain, origin }: PasskeyPlace,
  challenge: string,
  response: AuthenticationResponseJSON,
  passkey: StoredPasskey,
): Promise<{ readonly signCount: number; readonly backedUp: boolean } | null> {
  const { userHandle: handle } = response.response;
  const owner = Buffer.from(userHandle(passkey.accountId)).toString('base64url');
  if (handle !== undefined && handle !== owner) return null;
  const { verifyAuthenticationResponse } = await library();
  const verified = await orNull(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: domain,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId.toString('base64url'),
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.signCount,
      },
    }),
  );
  if (verified === null || !verified.verified) return null;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  return { signCount: newCounter, backedUp: credentialBackedUp };
}

/** Returns null for an invalid response, for which the library throws. */
async function orNull<Value>(verify: () => Promise<Value>): Promise<Value | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}
