import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { ChallengeBinding, GivenChallenge, NewPasskeyProof, PasskeyProof } from './credentials.ts';
import { answeredChallenge, type PasskeyPlace, readNewPasskey, readPasskeyUse } from './passkeys.ts';
import type { AccountPorts } from './ports.ts';
import { hashToken } from './tokens.ts';
import { type ProofRefusal, unreachable } from './wallet-proof.ts';

type Ports = Pick<AccountPorts, 'challenges' | 'passkeys'>;

export type ProvenPasskey = { readonly ok: true; readonly proof: PasskeyProof } | ProofRefusal;
export type ProvenNewPasskey = { readonly ok: true; readonly proof: NewPasskeyProof } | ProofRefusal;

const wrong: ProofRefusal = { ok: false, reason: 'wrong' };

/**
 * Returns the passkey that has answered a challenge of ours, one given to this browser, for this purpose, and still
 * open. The user of the proof must use the challenge up in the same transaction.
 */
export async function provePasskey(
  ports: Ports,
  place: PasskeyPlace,
  binding: ChallengeBinding,
  response: AuthenticationResponseJSON,
): Promise<ProvenPasskey> {
  const opened = await openChallenge(ports, binding, response);
  if (!opened.ok) return opened;
  const { challenge, content } = opened;
  const found = await ports.passkeys.find(Buffer.from(response.id, 'base64url'));
  if (!found.ok) return unreachable('postgres', found.cause);
  const passkey = found.value;
  const use = passkey === null ? null : await readPasskeyUse(place, content, response, passkey);
  if (passkey === null || use === null) return refuse(ports, challenge);
  return { ok: true, proof: { passkeyId: passkey.id, accountId: passkey.accountId, ...use, challenge } };
}

/** Proves a newly created passkey in the same way. */
export async function proveNewPasskey(
  ports: Ports,
  place: PasskeyPlace,
  binding: ChallengeBinding,
  name: string,
  response: RegistrationResponseJSON,
): Promise<ProvenNewPasskey> {
  const opened = await openChallenge(ports, binding, response);
  if (!opened.ok) return opened;
  const { challenge, content } = opened;
  const made = await readNewPasskey(place, content, response);
  return made === null ? refuse(ports, challenge) : { ok: true, proof: { passkey: { ...made, name }, challenge } };
}

type Opened = { readonly ok: true; readonly challenge: GivenChallenge; readonly content: string } | ProofRefusal;

async function openChallenge(
  { challenges }: Ports,
  binding: ChallengeBinding,
  response: { readonly response: { readonly clientDataJSON: string } },
): Promise<Opened> {
  const content = answeredChallenge(response);
  if (content === null) return wrong;
  const challenge = { ...binding, hash: hashToken(content) };
  const open = await challenges.isOpen(challenge);
  if (!open.ok) return unreachable('postgres', open.cause);
  return open.value ? { ok: true, challenge, content } : wrong;
}

async function refuse({ challenges }: Ports, challenge: GivenChallenge): Promise<ProofRefusal> {
  const discarded = await challenges.discard(challenge);
  return discarded.ok ? wrong : unreachable('postgres', discarded.cause);
}
