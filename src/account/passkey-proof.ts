import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { ChallengeBinding, GivenChallenge, NewPasskeyProof, PasskeyProof } from './credentials.ts';
import { answeredChallenge, type PasskeyPlace, readNewPasskey, readPasskeyUse } from './passkeys.ts';
import type { AccountPorts } from './ports.ts';
import { hashToken } from './tokens.ts';

type Ports = Pick<AccountPorts, 'challenges' | 'passkeys'>;

/**
 * Returns the passkey that has answered a challenge of ours, one given to this browser, for this purpose, and still
 * open. The user of the proof must use the challenge up in the same transaction. Otherwise uses it up and returns null.
 * Throws `Unavailable`, after which the challenge stays open.
 */
export async function provePasskey(
  ports: Ports,
  place: PasskeyPlace,
  binding: ChallengeBinding,
  response: AuthenticationResponseJSON,
): Promise<PasskeyProof | null> {
  return whileOpen(ports, binding, response, async (challenge, content) => {
    const passkey = await ports.passkeys.find(Buffer.from(response.id, 'base64url'));
    const use = passkey && (await readPasskeyUse(place, content, response, passkey));
    return passkey && use && { passkeyId: passkey.id, accountId: passkey.accountId, ...use, challenge };
  });
}

/** Proves a newly created passkey in the same way. */
export async function proveNewPasskey(
  ports: Ports,
  place: PasskeyPlace,
  binding: ChallengeBinding,
  name: string,
  response: RegistrationResponseJSON,
): Promise<NewPasskeyProof | null> {
  return whileOpen(ports, binding, response, async (challenge, content) => {
    const made = await readNewPasskey(place, content, response);
    return made && { passkey: { ...made, name }, challenge };
  });
}

async function whileOpen<Proof>(
  { challenges }: Ports,
  binding: ChallengeBinding,
  response: { readonly response: { readonly clientDataJSON: string } },
  prove: (challenge: GivenChallenge, content: string) => Promise<Proof | null>,
): Promise<Proof | null> {
  const content = answeredChallenge(response);
  if (content === null) return null;
  const challenge = { ...binding, hash: hashToken(content) };
  if (!(await challenges.isOpen(challenge))) return null;
  const proof = await prove(challenge, content);
  if (proof === null) await challenges.discard(challenge);
  return proof;
}
