import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { passkeyChallenge } from '../../api.ts';

/** A failed creation or use of a passkey, with a message for the page. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
}

/** Signs with a passkey of the account, or with any passkey at sign-in. Throws `PasskeyError` or `ApiError`. */
export async function signWithPasskey(purpose: 'sign-in' | 'confirm'): Promise<object> {
  return await withBrowser(async () => {
    const { options } = await passkeyChallenge<PublicKeyCredentialRequestOptionsJSON>(purpose);
    return () => startAuthentication({ optionsJSON: options });
  });
}

/**
 * Makes a passkey. Throws `PasskeyError` or `ApiError`.
 * @param invitation for whose account; without one it is for the account that is signed in
 */
export async function createPasskey(invitation?: string): Promise<object> {
  return await withBrowser(async () => {
    const purpose = invitation === undefined ? 'add' : 'invitation';
    const { options } = await passkeyChallenge<PublicKeyCredentialCreationOptionsJSON>(purpose, invitation);
    return () => startRegistration({ optionsJSON: options });
  });
}

/** @param prepare requests the options from the server and returns the call to the browser */
async function withBrowser(prepare: () => Promise<() => Promise<object>>): Promise<object> {
  if (!browserSupportsWebAuthn())
    throw new PasskeyError(
      'This browser does not support passkeys at this address. Use a current browser, or a wallet.',
    );
  const askBrowser = await prepare();
  try {
    return await askBrowser();
  } catch (cause) {
    throw new PasskeyError(refusalText(cause), { cause });
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
