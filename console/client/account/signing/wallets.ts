import type { Purpose, WalletChallenge } from '../../../../src/account/answers.ts';
import { post } from '../../../shared/account-api.ts';
import { injectedWallet, SigningError, type WalletOption, withAnnounced } from './wallet-list.ts';

interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

export type Proof = { readonly wallet: SignedMessage } | { readonly passkey: { readonly response: object } };

/** Wallets answer within a few milliseconds. After this time, `window.ethereum` is used. */
const discoveryMs = 200;

/**
 * Finds the wallets of this browser by EIP-6963, else by `window.ethereum`.
 * @param onChange receives the list whenever a wallet is added, and once if there is none
 * @returns a function that stops listening
 */
export function discoverWallets(onChange: (wallets: readonly WalletOption[]) => void): () => void {
  let list: readonly WalletOption[] = [];
  const listener = (event: Event) => {
    const next = withAnnounced(list, 'detail' in event ? event.detail : null);
    if (next === list) return;
    list = next;
    onChange(list);
  };
  window.addEventListener('eip6963:announceProvider', listener);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  const timer = setTimeout(() => {
    const older = list.length === 0 && 'ethereum' in window ? injectedWallet(window.ethereum) : null;
    if (older !== null) list = [older];
    onChange(list);
  }, discoveryMs);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('eip6963:announceProvider', listener);
  };
}

/**
 * Has a message of the server signed for `purpose`. Throws `SigningError` or `ApiError`. No money can move by it.
 * @param invitation with that purpose: its token, so that the message names the account
 */
export async function signWithWallet(
  wallet: WalletOption,
  purpose: Purpose,
  invitation?: string,
): Promise<SignedMessage> {
  const address = firstAddress(wallet, await ask(wallet, 'eth_requestAccounts'));
  const { message } = await post<WalletChallenge>('wallets/challenge', { address, purpose, invitation });
  const signature = await ask(wallet, 'personal_sign', [hexOf(message), address]);
  if (typeof signature === 'string') return { message, signature };
  throw new SigningError(`${wallet.name} gave no signature. Try again, or use another wallet.`);
}

function firstAddress(wallet: WalletOption, accounts: unknown): string {
  const [address] = Array.isArray(accounts) ? accounts : [];
  if (typeof address === 'string' && /^0x[0-9a-f]{40}$/i.test(address)) return address;
  throw new SigningError(`${wallet.name} shared no account. Unlock it, allow this site, then try again.`);
}

async function ask(wallet: WalletOption, method: string, params?: readonly unknown[]): Promise<unknown> {
  try {
    return await wallet.provider.request(params === undefined ? { method } : { method, params });
  } catch (cause) {
    throw new SigningError(refusalText(wallet.name, cause), { cause });
  }
}

/** Returns the message for an error code of EIP-1193, or for JSON-RPC's code of a pending request. */
function refusalText(name: string, cause: unknown): string {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  if (code === 4001) return `You declined the request in ${name}. Try again when you are ready.`;
  if (code === -32002) return `${name} is waiting for you. Open its window.`;
  if (code === 4100) return `${name} does not allow this site yet. Unlock it, allow this site, then try again.`;
  return `${name} could not sign. Unlock it and try again, or use another wallet.`;
}

function hexOf(text: string): string {
  return `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
