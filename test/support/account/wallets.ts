import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Purpose } from '../../../src/account/answers.ts';
import type { Answered, Browser } from './browser.ts';

export function newWallet(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

type Signer = Pick<PrivateKeyAccount, 'address' | 'signMessage'>;

/** A server's message, signed by the wallet. */
export async function signedBy(
  browser: Browser,
  wallet: Signer,
  purpose: Purpose = 'sign-in',
  invitation?: string,
): Promise<{ readonly message: string; readonly signature: `0x${string}` }> {
  const asked = { address: wallet.address, purpose, ...(invitation === undefined ? {} : { invitation }) };
  const challenge = await browser.post('wallets/challenge', asked);
  if (challenge.status !== 200) throw new Error(`no message to sign: ${challenge.status} ${challenge.error}`);
  const { message } = challenge.data;
  return { message, signature: await wallet.signMessage({ message }) };
}

export async function signInWith(browser: Browser, wallet: Signer): Promise<Answered> {
  return browser.post('sign-in/wallet', await signedBy(browser, wallet));
}
