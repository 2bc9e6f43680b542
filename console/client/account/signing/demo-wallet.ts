import { isHex, size } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Eip1193Provider } from './wallet-list.ts';

/** A wallet in the page that signs without asking, with the public key of the demo. */
export function demoProvider(privateKey: string): Eip1193Provider {
  if (!isHex(privateKey)) throw new Error('The key of the demo wallet is not hexadecimal.');
  const account = privateKeyToAccount(privateKey);
  return {
    request: async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts') return [account.address];
      const [message] = params;
      if (method === 'personal_sign' && isHex(message) && size(message) > 0)
        return account.signMessage({ message: { raw: message } });
      throw new Error(`The demo wallet knows no ${method}.`);
    },
  };
}
