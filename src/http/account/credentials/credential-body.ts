import { z } from 'zod';
import type { Purpose } from '../../../account/answers.ts';
import type { KnownCredential, NewCredential } from '../../../account/credentials.ts';
import type { AddRefusal } from '../../../account/ports.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import { AlreadyRegistered, TooMany } from '../../errors/account-errors.ts';
import type { ApiError } from '../../errors/errors.ts';
import { passkeyCreation, passkeyName, passkeyUse, readNewPasskeyProof, readPasskeyProof } from './passkey-response.ts';
import { readWalletProof, signedMessage } from './signed-message.ts';

// Bodies that hold a wallet's signature or a passkey's answer: one of the two.

/** A passkey that was made, and what it is to be called. */
export const newPasskey = z.strictObject({ name: passkeyName, response: passkeyCreation });

export const newCredentialBody = { wallet: signedMessage.optional(), passkey: newPasskey.optional() };
export const knownCredentialBody = {
  wallet: signedMessage.optional(),
  passkey: z.strictObject({ response: passkeyUse }).optional(),
};

/** The rule of such a body, and what is said where it is broken. */
export function holdsOneCredential(given: { readonly wallet?: unknown; readonly passkey?: unknown }): boolean {
  return (given.wallet === undefined) !== (given.passkey === undefined);
}
export const notOneCredential = { path: ['wallet'], error: 'or "passkey" is required, and not both' };

interface Asked {
  readonly purpose: Purpose;
  /** Whose it is, or is to be. */
  readonly accountId: number;
}

type Given<Passkey> = {
  readonly wallet?: z.infer<typeof signedMessage> | undefined;
  readonly passkey?: Passkey | undefined;
};

/** What is to open an account from now on. Throws `SignInFailed` where nothing shows that somebody has it. */
export async function readNewCredential(
  deps: Deps,
  ctx: Context,
  given: Given<z.infer<typeof newPasskey>>,
  asked: Asked,
): Promise<NewCredential> {
  const { wallet, passkey } = oneOf(given);
  if (wallet !== undefined) return { kind: 'wallet', ...(await readWalletProof(deps, ctx, wallet, asked)) };
  return { kind: 'passkey', ...(await readNewPasskeyProof(deps, ctx, passkey, asked)) };
}

/** What opens an account already. Throws `SignInFailed` where nothing shows that somebody has it. */
export async function readKnownCredential(
  deps: Deps,
  ctx: Context,
  given: Given<{ readonly response: z.infer<typeof passkeyUse> }>,
  asked: Asked,
): Promise<KnownCredential> {
  const { wallet, passkey } = oneOf(given);
  if (wallet !== undefined) return { kind: 'wallet', ...(await readWalletProof(deps, ctx, wallet, asked)) };
  return { kind: 'passkey', ...(await readPasskeyProof(deps, ctx, passkey.response, asked)) };
}

type OneOf<Passkey> =
  | { readonly wallet: z.infer<typeof signedMessage>; readonly passkey?: undefined }
  | { readonly wallet?: undefined; readonly passkey: Passkey };

function oneOf<Passkey>({ wallet, passkey }: Given<Passkey>): OneOf<Passkey> {
  if (wallet !== undefined && passkey === undefined) return { wallet };
  if (passkey !== undefined && wallet === undefined) return { passkey };
  throw new Error('a body was not checked to hold one credential');
}

/** Why a credential was not given to an account. */
export function addRefused(refusal: AddRefusal, kind: NewCredential['kind'], { max }: ConsoleConfig): ApiError {
  if (refusal === 'taken') return new AlreadyRegistered(kind);
  return kind === 'wallet' ? new TooMany('wallets', max.wallets) : new TooMany('passkeys', max.passkeys);
}
