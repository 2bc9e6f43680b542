import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { type Hex, isHex, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { localNetwork } from '../../../dev/chain/network.ts';
import { announceWallet, type WalletAnswer, type WalletRequest } from './in-page.ts';

/** A wallet of the browser's user: an address and its signer. */
export interface TestWallet {
  readonly name: string;
  readonly address: Hex;
  /** If set, the user refuses every signature. */
  refuses: boolean;
  /** The texts that the user was asked to sign, in order. */
  readonly signed: string[];
  sign(message: string): Promise<Hex>;
}

/**
 * Creates a wallet with a new key.
 * @param address of a contract that the key signs for; the key's own address if not given
 */
export function newWallet(
  options: { readonly key?: Hex; readonly address?: Hex; readonly name?: string } = {},
): TestWallet {
  const account = privateKeyToAccount(options.key ?? generatePrivateKey());
  return {
    name: options.name ?? 'Test Wallet',
    address: options.address ?? account.address,
    refuses: false,
    signed: [],
    sign: (message) => account.signMessage({ message }),
  };
}

const userRejectedRequest = 4001;
const unsupportedMethod = 4200;

/** Adds wallets to every document that the page loads from now on. */
export async function installWallets(page: Page, wallets: readonly TestWallet[]): Promise<void> {
  const installed = new Map(wallets.map((wallet) => [randomUUID() as string, wallet]));
  await page.exposeFunction('askWallet', (uuid: string, request: WalletRequest): Promise<WalletAnswer> => {
    const wallet = installed.get(uuid);
    if (wallet === undefined) throw new Error(`No wallet ${uuid} was announced.`);
    return answer(wallet, request);
  });
  for (const [uuid, { name }] of installed) {
    const icon = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>';
    await page.addInitScript(announceWallet, { uuid, name, icon, rdns: 'org.example.wallet' });
  }
}

async function answer(wallet: TestWallet, { method, params = [] }: WalletRequest): Promise<WalletAnswer> {
  switch (method) {
    case 'eth_requestAccounts':
    case 'eth_accounts':
      return { ok: true, result: [wallet.address] };
    case 'eth_chainId':
      return { ok: true, result: numberToHex(localNetwork.chainId) };
    case 'personal_sign': {
      if (wallet.refuses) return { ok: false, code: userRejectedRequest, message: 'User rejected the request.' };
      const message = textOf(params[0]);
      wallet.signed.push(message);
      return { ok: true, result: await wallet.sign(message) };
    }
    default:
      return { ok: false, code: unsupportedMethod, message: `This wallet does not know ${method}.` };
  }
}

/** `personal_sign` takes its text as hexadecimal digits; some pages send it plain. */
function textOf(param: unknown): string {
  if (typeof param !== 'string') throw new Error('personal_sign takes a text.');
  return isHex(param) ? Buffer.from(param.slice(2), 'hex').toString('utf8') : param;
}
