import { z } from 'zod';
import type { KnownCredential, NewCredential } from '../../../account/credentials.ts';
import type { AddRefusal } from '../../../account/ports.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import { AlreadyRegistered, TooMany } from '../../errors/account-errors.ts';
import type { ApiError } from '../../errors/errors.ts';
import type { AccountContext } from '../account-endpoint.ts';
import {
  type Asked,
  passkeyCreation,
  passkeyName,
  passkeyUse,
  readNewPasskeyProof,
  readPasskeyProof,
} from './passkey-response.ts';
import { readWalletProof, signedMessage } from './signed-message.ts';

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
