import { isAddress, isHex } from 'viem';
import { z } from 'zod';
import type { Purpose } from '../../../account/answers.ts';
import type {
  KnownCredential,
  NewCredential,
  NewPasskeyProof,
  PasskeyProof,
  WalletProof,
} from '../../../account/credentials.ts';
import { keyNameProblem } from '../../../account/key-rules.ts';
import type { AddRefusal } from '../../../account/ports.ts';
import { proveNewPasskey, provePasskey, proveWallet } from '../../../account/proofs.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import { textUpTo } from '../../../lib/parameter-schemas.ts';
import type { Hex } from '../../../payments/protocol/networks.ts';
import { AlreadyRegistered, ContractWalletUnknown, SignInFailed, TooMany } from '../../errors/account-errors.ts';
import type { ApiError } from '../../errors/errors.ts';
import type { AccountContext } from '../account-endpoint.ts';
import { browserOf } from '../cookies.ts';
import { passkeyPlace, walletPlace } from './sign-in-place.ts';

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

/**
 * The largest message and signature in characters. The signature of a wallet that is not deployed yet contains its
 * code.
 */
const messageMax = 4_096;
const signatureMax = 32_768;

/** A wallet's address. If it mixes cases, they must be its checksum. */
export const walletAddress = z
  .string()
  .refine((text): text is Hex => isAddress(text), {
    error: 'must be an address: 0x and 40 hexadecimal digits, with a right checksum if it mixes cases',
  })
  .meta({ pattern: '^0x[0-9a-fA-F]{40}$' });

/** A message of POST wallets/challenge, and the wallet's signature of it. */
export const signedMessage = z.strictObject({
  message: z.string().min(1).max(messageMax).describe('The message as it was given, to the byte'),
  signature: z
    .string()
    .max(signatureMax)
    .refine((text): text is Hex => isHex(text) && text.length % 2 === 0 && text.length > 2, {
      error: 'must be 0x and pairs of hexadecimal digits',
    })
    .meta({ pattern: '^0x([0-9a-fA-F]{2})+$' }),
});

/**
 * Returns the wallet that signed one of our messages for a purpose. Throws `SignInFailed` if the proof fails, and
 * `Unavailable` if it could not be checked; the same signature may then be sent again.
 */
export async function readWalletProof(
  { ctx, deps, config, account }: AccountContext,
  signed: z.infer<typeof signedMessage>,
  { purpose, accountId }: Asked,
): Promise<WalletProof> {
  const place = walletPlace(ctx, config);
  const binding = { method: 'wallet', purpose, accountId, browser: browserOf(ctx, config) } as const;
  const proof = await proveWallet(account, place, binding, signed, deps.clock.now());
  if (typeof proof !== 'string') return proof;
  ctx.state.log.info({ purpose, reason: proof }, 'a signature of a wallet was refused');
  throw proof === 'contract unknown' ? new ContractWalletUnknown() : new SignInFailed();
}

// Request bodies with exactly one of a wallet's signature and a passkey's answer.

/** A new passkey and its name. */
export const newPasskey = z.strictObject({ name: passkeyName, response: passkeyCreation });
const knownPasskey = z.strictObject({ response: passkeyUse });

export const newCredentialBody = { wallet: signedMessage.optional(), passkey: newPasskey.optional() };
export const knownCredentialBody = { wallet: signedMessage.optional(), passkey: knownPasskey.optional() };

export function holdsOneCredential(given: { readonly wallet?: unknown; readonly passkey?: unknown }): boolean {
  return (given.wallet === undefined) !== (given.passkey === undefined);
}
export const notOneCredential = { path: ['wallet'], error: 'or "passkey" is required, and not both' };

type Given<Passkey> = {
  readonly wallet?: z.infer<typeof signedMessage> | undefined;
  readonly passkey?: Passkey | undefined;
};

/** Reads and proves a credential that an account will get. Throws `SignInFailed` if the proof fails. */
export async function readNewCredential(
  context: AccountContext,
  { wallet, passkey }: Given<z.infer<typeof newPasskey>>,
  asked: Asked,
): Promise<NewCredential> {
  if (wallet !== undefined) return { kind: 'wallet', ...(await readWalletProof(context, wallet, asked)) };
  return { kind: 'passkey', ...(await readNewPasskeyProof(context, checked(passkey), asked)) };
}

/** Reads and proves a credential of the account. Throws `SignInFailed` if the proof fails. */
export async function readKnownCredential(
  context: AccountContext,
  { wallet, passkey }: Given<z.infer<typeof knownPasskey>>,
  asked: Asked,
): Promise<KnownCredential> {
  if (wallet !== undefined) return { kind: 'wallet', ...(await readWalletProof(context, wallet, asked)) };
  return { kind: 'passkey', ...(await readPasskeyProof(context, checked(passkey).response, asked)) };
}

function checked<Passkey>(passkey: Passkey | undefined): Passkey {
  if (passkey === undefined) throw new Error('a body was not checked to hold one credential');
  return passkey;
}

/** Returns the error for a refused credential. */
export function addRefused(refusal: AddRefusal, kind: NewCredential['kind'], { max }: ConsoleConfig): ApiError {
  if (refusal === 'taken') return new AlreadyRegistered(kind);
  return kind === 'wallet' ? new TooMany('wallets', max.wallets) : new TooMany('passkeys', max.passkeys);
}
