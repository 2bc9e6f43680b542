import { z } from 'zod';
import type { Purpose } from '../../../account/answers.ts';
import type { NewPasskeyProof, PasskeyProof } from '../../../account/credentials.ts';
import { keyNameProblem } from '../../../account/key-rules.ts';
import { proveNewPasskey, provePasskey } from '../../../account/passkey-proof.ts';
import type { ProofRefusal } from '../../../account/wallet-proof.ts';
import { textUpTo } from '../../../lib/parameter-schemas.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import { SignInFailed } from '../../errors/account-errors.ts';
import { ServiceUnavailable } from '../../errors/errors.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import { browserOf } from '../cookies.ts';
import { passkeyPlace } from './sign-in-place.ts';

// Responses of passkeys in the form of browsers (WebAuthn, PublicKeyCredential.toJSON). Unknown fields are ignored.

const bytesIn = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, { error: 'must be base64url' });

/** A passkey's id is up to 1023 bytes. */
const credentialId = bytesIn(1_364);
const named = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
};
const noExtensions = {} as const;

/** The result of navigator.credentials.get(). */
export const passkeyUse = z.object({
  ...named,
  response: z.object({
    clientDataJSON: bytesIn(8_192),
    authenticatorData: bytesIn(8_192),
    signature: bytesIn(8_192),
    userHandle: bytesIn(128).nullish(),
  }),
});

/** The result of navigator.credentials.create(). */
export const passkeyCreation = z.object({
  ...named,
  response: z.object({
    clientDataJSON: bytesIn(8_192),
    attestationObject: bytesIn(32_768),
    transports: z.array(z.string().min(1).max(32)).max(16).optional(),
  }),
});

const nameMax = 100;

/** The owner's name for a passkey. */
export const passkeyName = textUpTo(nameMax)
  .refine((name) => name !== '' && name === name.trim(), {
    error: 'must not be empty, nor begin or end with white space',
  })
  // Events and messages contain the name, so it must not change how the text around it reads.
  .check((context) => {
    const message = keyNameProblem(context.value);
    if (message !== null) context.issues.push({ code: 'custom', message, input: context.value });
  });

interface Asked {
  readonly purpose: Purpose;
  /** The account of the passkey; null for a sign-in. */
  readonly accountId: number | null;
}

/** Returns the passkey that answered one of our challenges. Throws `SignInFailed` if the proof fails. */
export async function readPasskeyProof(
  deps: Deps,
  ctx: Context,
  { id, rawId, type, response }: z.infer<typeof passkeyUse>,
  asked: Asked,
): Promise<PasskeyProof> {
  const { userHandle, ...rest } = response;
  const use = {
    ...{ id, rawId, type, clientExtensionResults: noExtensions },
    response: { ...rest, ...(userHandle ? { userHandle } : {}) },
  };
  const { place, binding } = boundTo(deps, ctx, asked);
  const proven = await provePasskey(accountPorts(deps), place, binding, use);
  if (!proven.ok) throw refusal(ctx, asked, proven);
  return proven.proof;
}

/** Returns the passkey that was created for one of our challenges. Throws `SignInFailed` if the proof fails. */
export async function readNewPasskeyProof(
  deps: Deps,
  ctx: Context,
  { name, response: given }: { readonly name: string; readonly response: z.infer<typeof passkeyCreation> },
  asked: Asked,
): Promise<NewPasskeyProof> {
  const { id, rawId, type, response } = given;
  const { transports, ...rest } = response;
  const creation = {
    ...{ id, rawId, type, clientExtensionResults: noExtensions },
    response: { ...rest, ...(transports ? { transports } : {}) },
  };
  const { place, binding } = boundTo(deps, ctx, asked);
  const proven = await proveNewPasskey(accountPorts(deps), place, binding, name, creation);
  if (!proven.ok) throw refusal(ctx, asked, proven);
  return proven.proof;
}

function boundTo(deps: Deps, ctx: Context, { purpose, accountId }: Asked) {
  const config = consoleConfig(deps);
  const place = passkeyPlace(ctx, config);
  return { place, binding: { method: 'passkey', purpose, accountId, browser: browserOf(ctx, config) } as const };
}

function refusal(ctx: Context, { purpose }: Asked, refused: ProofRefusal): Error {
  if (refused.reason === 'unreachable') return new ServiceUnavailable(refused.cause, refused.system);
  ctx.state.log.info({ purpose }, 'an answer of a passkey was refused');
  return new SignInFailed();
}
