import { z } from 'zod';
import type { Purpose } from '../../../account/answers.ts';
import type { NewPasskeyProof, PasskeyProof } from '../../../account/credentials.ts';
import { keyNameProblem } from '../../../account/key-rules.ts';
import { proveNewPasskey, provePasskey } from '../../../account/proofs.ts';
import { textUpTo } from '../../../lib/parameter-schemas.ts';
import { SignInFailed } from '../../errors/account-errors.ts';
import type { AccountContext } from '../account-endpoint.ts';
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

/** The use of a credential. */
export interface Asked {
  readonly purpose: Purpose;
  /** The account that has the credential or will get it; null for a sign-in. */
  readonly accountId: number | null;
}

/** Returns the passkey that answered one of our challenges. Throws `SignInFailed` if the proof fails. */
export async function readPasskeyProof(
  context: AccountContext,
  { response, ...named }: z.infer<typeof passkeyUse>,
  asked: Asked,
): Promise<PasskeyProof> {
  const { userHandle, ...rest } = response;
  const use = { ...named, clientExtensionResults: {}, response: { ...rest, ...(userHandle ? { userHandle } : {}) } };
  const { place, binding } = boundTo(context, asked);
  return unlessRefused(context, asked, await provePasskey(context.account, place, binding, use));
}

/** Returns the passkey that was created for one of our challenges. Throws `SignInFailed` if the proof fails. */
export async function readNewPasskeyProof(
  context: AccountContext,
  { name, response: given }: { readonly name: string; readonly response: z.infer<typeof passkeyCreation> },
  asked: Asked,
): Promise<NewPasskeyProof> {
  const { response, ...named } = given;
  const { transports, ...rest } = response;
  const creation = {
    ...named,
    clientExtensionResults: {},
    response: { ...rest, ...(transports ? { transports } : {}) },
  };
  const { place, binding } = boundTo(context, asked);
  return unlessRefused(context, asked, await proveNewPasskey(context.account, place, binding, name, creation));
}

function boundTo({ ctx, config }: AccountContext, { purpose, accountId }: Asked) {
  const place = passkeyPlace(ctx, config);
  return { place, binding: { method: 'passkey', purpose, accountId, browser: browserOf(ctx, config) } as const };
}

function unlessRefused<Proof>({ ctx }: AccountContext, { purpose }: Asked, proof: Proof | null): Proof {
  if (proof !== null) return proof;
  ctx.state.log.info({ purpose }, 'an answer of a passkey was refused');
  throw new SignInFailed();
}
