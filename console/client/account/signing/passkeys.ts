import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import type { Purpose } from '../../../../src/account/answers.ts';
import { post } from '../../../shared/account-api.ts';
import { SigningError } from './wallet-list.ts';

/** Signs with a passkey of the account, or with any passkey at sign-in. Throws `SigningError` or `ApiError`. */
export function signWithPasskey(purpose: Purpose): Promise<object> {
  return withBrowser<PublicKeyCredentialRequestOptionsJSON>({ purpose }, startAuthentication);
}

/**
 * Creates a passkey. Throws `SigningError` or `ApiError`.
 * @param invitation the token of an invitation; without it, the passkey is for the account that is signed in
 */
export function createPasskey(invitation?: string): Promise<object> {
  const purpose = invitation === undefined ? 'add' : 'invitation';
  return withBrowser<PublicKeyCredentialCreationOptionsJSON>({ purpose, invitation }, startRegistration);
}

async function withBrowser<Options>(
  challenge: { readonly purpose: Purpose; readonly invitation?: string | undefined },
  askBrowser: (given: { readonly optionsJSON: Options }) => Promise<object>,
): Promise<object> {
  if (!browserSupportsWebAuthn())
    throw new SigningError(
      'This browser does not support passkeys at this address. Use a current browser, or a wallet.',
    );
  const { options } = await post<{ readonly options: Options }>('passkeys/challenge', challenge);
  try {
    return await askBrowser({ optionsJSON: options });
  } catch (cause) {
    throw new SigningError(refusalText(cause), { cause });
  }
}

/** Returns the message for an error of Web Authentication. */
function refusalText(cause: unknown): string {
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'The request was cancelled or took too long. Try again.';
  if (name === 'InvalidStateError') return 'This device already has a passkey for this account. Sign in with it.';
  if (name === 'SecurityError')
    return 'Passkeys do not work at this address: open the page by its domain name, or use a wallet.';
  return 'The browser could not use a passkey. Try again, or use a wallet.';
}
