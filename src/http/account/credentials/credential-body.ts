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

// Request bodies with exactly one of a wallet's signature and a passkey's answer.

/** A new passkey and its name. */
export const newPasskey = z.strictObject({ name: passkeyName, response: passkeyCreation });

export const newCredentialBody = { wallet: signedMessage.optional(), passkey: newPasskey.optional() };
export const knownCredentialBody = {
  wallet: signedMessage.optional(),
  passkey: z.strictObject({ response: passkeyUse }).optional(),
};

export function holdsOneCredential(given: { readonly wallet?: unknown; readonly passkey?: unknown }): boolean {
  return (given.wallet === undefined) !== (given.passkey === undefined);
}
export const notOneCredential = { path: ['wallet'], error: 'or "passkey" is required, and not both' };

const unchecked = 'a body was not checked to hold one credential';

interface Asked {
  readonly purpose: Purpose;
  /** The account that has the credential or will get it. */
  readonly accountId: number;
}

type Given<Passkey> = {
  readonly wallet?: z.infer<typeof signedMessage> | undefined;
  readonly passkey?: Passkey | undefined;
};

/** Reads and proves a credential that an account will get. Throws `SignInFailed` if the proof fails. */
export async function readNewCredential(
  deps: Deps,
  ctx: Context,
  given: Given<z.infer<typeof newPasskey>>,
  asked: Asked,
): Promise<NewCredential> {
  const { wallet, passkey } = given;
  if (wallet !== undefined) return { kind: 'wallet', ...(await readWalletProof(deps, ctx, wallet, asked)) };
  if (passkey === undefined) throw new Error(unchecked);
  return { kind: 'passkey', ...(await readNewPasskeyProof(deps, ctx, passkey, asked)) };
}

/** Reads and proves a credential of the account. Throws `SignInFailed` if the proof fails. */
export async function readKnownCredential(
  deps: Deps,
  ctx: Context,
  given: Given<{ readonly response: z.infer<typeof passkeyUse> }>,
  asked: Asked,
): Promise<KnownCredential> {
  const { wallet, passkey } = given;
  if (wallet !== undefined) return { kind: 'wallet', ...(await readWalletProof(deps, ctx, wallet, asked)) };
  if (passkey === undefined) throw new Error(unchecked);
  return { kind: 'passkey', ...(await readPasskeyProof(deps, ctx, passkey.response, asked)) };
}

/** Returns the error for a refused credential. */
export function addRefused(refusal: AddRefusal, kind: NewCredential['kind'], { max }: ConsoleConfig): ApiError {
  if (refusal === 'taken') return new AlreadyRegistered(kind);
  return kind === 'wallet' ? new TooMany('wallets', max.wallets) : new TooMany('passkeys', max.passkeys);
}
