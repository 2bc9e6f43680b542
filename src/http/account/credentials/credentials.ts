import { isAddress, isHex } from 'viem/utils';
import { z } from 'zod';
import type { Purpose } from '../../../account/answers.ts';
import type { ChallengeBinding, KnownCredential, NewCredential, WalletProof } from '../../../account/credentials.ts';
import { visibleName } from '../../../account/key-rules.ts';
import type { Refusal } from '../../../account/ports.ts';
import { proveNewPasskey, provePasskey, proveWallet } from '../../../account/proofs.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import type { Hex } from '../../../payments/protocol/networks.ts';
import {
  AccountSuspended,
  AlreadyRegistered,
  ConfirmationRequired,
  ContractWalletUnknown,
  InvitationInvalid,
  LastCredential,
  NotInAccount,
  SignInFailed,
  SignUpClosed,
  TooMany,
} from '../../errors/account-errors.ts';
import type { ApiError } from '../../errors/errors.ts';
import type { AccountContext } from '../account-endpoint.ts';
import { browserOf } from '../cookies.ts';
import { signInPlace } from './sign-in-place.ts';

// Responses of passkeys in the form of browsers (WebAuthn, PublicKeyCredential.toJSON). Unknown fields are ignored.

const bytesIn = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, { error: 'must be base64url' });

/** A passkey's id is up to 1023 bytes. */
const credentialId = bytesIn(1_364);
const named = { id: credentialId, rawId: credentialId, type: z.literal('public-key') };

/** The result of navigator.credentials.get(). */
const passkeyUse = z.object({
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

/** The use of a credential. */
export interface Asked {
  readonly purpose: Purpose;
  /** The account that has the credential or will get it; null for a sign-in. */
  readonly accountId: number | null;
}

/**
 * The largest message and signature in characters. The signature of a wallet that is not deployed yet contains its
 * code.
 */
const messageMax = 4_096;
const signatureMax = 32_768;

/** A wallet's address. A mixed-case address must have a valid checksum. */
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

export const newPasskey = z.strictObject({ name: visibleName, response: passkeyCreation });
export const knownPasskey = z.strictObject({ response: passkeyUse });

/** Returns the schema of a body with a wallet's signature or a passkey's answer, and not both. */
export function eitherCredential<Passkey extends z.ZodType, More extends z.ZodRawShape>(passkey: Passkey, more: More) {
  return z
    .strictObject({ ...more, wallet: signedMessage.optional(), passkey: passkey.optional() })
    .refine((given) => 'wallet' in given !== 'passkey' in given, {
      path: ['wallet'],
      error: 'or "passkey" is required, and not both',
    })
    .describe('Either a wallet or a passkey');
}

/** The body of a request, as far as it proves a credential. */
interface Given<Passkey> {
  readonly wallet?: z.infer<typeof signedMessage> | undefined;
  readonly passkey?: Passkey | undefined;
}

/** Reads and proves a credential of an account. Throws `SignInFailed` if the proof fails. */
export async function readKnownCredential(
  context: AccountContext,
  { wallet, passkey }: Given<z.infer<typeof knownPasskey>>,
  asked: Asked,
): Promise<KnownCredential> {
  if (passkey === undefined) return readWalletProof(context, wallet, asked);
  const { response, ...named } = passkey.response;
  const { userHandle, ...rest } = response;
  const use = { ...named, clientExtensionResults: {}, response: { ...rest, ...(userHandle ? { userHandle } : {}) } };
  const { ctx, config, account } = context;
  const proof = await provePasskey(
    account,
    signInPlace(ctx, config, 'passkeys'),
    bindingOf(context, 'passkey', asked),
    use,
  );
  return proof ?? refuse(context, asked);
}

/** Reads and proves a credential that an account will get. Throws `SignInFailed` if the proof fails. */
export async function readNewCredential(
  context: AccountContext,
  { wallet, passkey }: Given<z.infer<typeof newPasskey>>,
  asked: Asked,
): Promise<NewCredential> {
  if (passkey === undefined) return readWalletProof(context, wallet, asked);
  const { response, ...named } = passkey.response;
  const { transports, ...rest } = response;
  const made = { ...named, clientExtensionResults: {}, response: { ...rest, ...(transports ? { transports } : {}) } };
  const { ctx, config, account } = context;
  const binding = bindingOf(context, 'passkey', asked);
  const proof = await proveNewPasskey(account, signInPlace(ctx, config, 'passkeys'), binding, passkey.name, made);
  return proof ?? refuse(context, asked);
}

/**
 * Returns the wallet that signed one of our messages for a purpose. Throws `SignInFailed` if the proof fails, and
 * `Unavailable` if it could not be checked; the same signature may then be sent again.
 */
export async function readWalletProof(
  context: AccountContext,
  signed: z.infer<typeof signedMessage> | undefined,
  asked: Asked,
): Promise<WalletProof> {
  if (signed === undefined) throw new Error('A body was not checked to hold one credential.');
  const { ctx, deps, config, account } = context;
  const binding = bindingOf(context, 'wallet', asked);
  const proof = await proveWallet(account, signInPlace(ctx, config, 'wallets'), binding, signed, deps.clock.now());
  return typeof proof === 'string' ? refuse(context, asked, proof) : proof;
}

function bindingOf({ ctx, config }: AccountContext, method: 'wallet' | 'passkey', asked: Asked): ChallengeBinding {
  return { method, ...asked, browser: browserOf(ctx, config) };
}

function refuse({ ctx }: AccountContext, { purpose }: Asked, reason: 'wrong' | 'contract unknown' = 'wrong'): never {
  ctx.state.log.info({ purpose, reason }, 'a proof of a wallet or passkey was refused');
  throw reason === 'contract unknown' ? new ContractWalletUnknown() : new SignInFailed();
}

/** Returns the error for a refusal of a wallet or passkey. */
export function refusalError(refusal: Refusal, kind: NewCredential['kind'], { max }: ConsoleConfig): ApiError {
  switch (refusal) {
    case 'used':
      return new SignInFailed();
    case 'unknown':
    case 'no plan':
      return new SignUpClosed();
    case 'suspended':
      return new AccountSuspended();
    case 'invalid':
      return new InvitationInvalid();
    case 'taken':
      return new AlreadyRegistered(kind);
    case 'too many':
      return new TooMany(`${kind}s`, max[`${kind}s`]);
    case 'unconfirmed':
      return new ConfirmationRequired();
    case 'missing':
      return new NotInAccount(kind);
    case 'last':
      return new LastCredential();
    default:
      return refusal satisfies never;
  }
}
