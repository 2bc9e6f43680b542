import { isObject } from '../../../shared/account-api.ts';

/** A failed use of a wallet or passkey, with a message for the page. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
}

/** A wallet's interface for pages (EIP-1193). Its answers are checked where they are used. */
export interface Eip1193Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

export interface WalletOption {
  readonly id: string;
  readonly name: string;
  readonly provider: Eip1193Provider;
}

/** Browsers with many extensions have about five wallets; the rest of a longer list is dropped. */
const optionsMax = 12;
const nameMax = 40;

/**
 * The list with what a wallet has announced (the `detail` of `eip6963:announceProvider`). The same list where the
 * announcement is of no use or known already: wallets announce themselves again whenever any page asks.
 */
export function withAnnounced(list: readonly WalletOption[], detail: unknown): readonly WalletOption[] {
  const option = announced(detail);
  if (option === null || list.length >= optionsMax || list.some(({ id }) => id === option.id)) return list;
  // One that announces itself late is most likely the one that was found without.
  return [...list.filter(({ id }) => id !== injectedId), option].sort((a, b) => a.name.localeCompare(b.name));
}

const injectedId = 'injected';

/** Returns the wallet in `window.ethereum`, for browsers whose wallet does not announce itself. */
export function injectedWallet(ethereum: unknown): WalletOption | null {
  return isProvider(ethereum) ? { id: injectedId, name: 'Browser wallet', provider: ethereum } : null;
}

function announced(detail: unknown): WalletOption | null {
  if (!isObject(detail) || !isObject(detail.info) || !isProvider(detail.provider)) return null;
  const { uuid, name } = detail.info;
  if (typeof uuid !== 'string' || typeof name !== 'string' || uuid === '') return null;
  return { id: uuid, name: name.trim().slice(0, nameMax) || 'Unnamed wallet', provider: detail.provider };
}

function isProvider(value: unknown): value is Eip1193Provider {
  return isObject(value) && typeof value.request === 'function';
}
