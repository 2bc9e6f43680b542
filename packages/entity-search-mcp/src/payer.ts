import { addr, signTyped } from 'micro-eth-signer';
import { OfferRefusedError, SpendingLimitError } from '../../../clients/typescript/src/errors.ts';
import { Purse, type SignedPayment, usdc } from '../../../clients/typescript/src/spending.ts';
import { type Account, pay } from '../../../clients/typescript/src/wallet.ts';
import { reserveDaily, SpendingRecordError } from './daily-budget.ts';
import type { Log } from './log.ts';
import { type NetworkName, networks } from './options.ts';

// The payments of the TypeScript client, within its limits, for calls of MCP.

export interface WalletSettings {
  readonly privateKey: string;
  readonly network: NetworkName;
  readonly perCallUsd: string;
  readonly perDayUsd: string;
}

/** Signs payments for calls, within the limits. Equal calls have equal texts. */
export interface Payer {
  /** Returns the payment of an earlier, equal call whose answer was lost. Repeating it does not pay again. */
  unresolved(call: string): SignedPayment | undefined;
  /** Returns a payment, or a sentence if none may be signed. */
  pay(call: string, required: unknown): Promise<SignedPayment | string>;
  settle(payment: SignedPayment, state: 'refused' | 'charged'): void;
}

/** The remaining validity that a signature needs before it is sent again. */
const leftSeconds = 20;

/** @param folder the folder with the amounts that the wallet has spent, shared by all processes */
export function createPayer(wallet: WalletSettings, folder: string, log: Log): Payer {
  const { network, perCallUsd, perDayUsd } = wallet;
  const account = accountOf(wallet.privateKey);
  const reserve = reserveDaily({ folder, network, wallet: account.address, perDayUsd });
  const purse = new Purse({ perCallUsd, assets: usdc.filter((asset) => asset.network === network) }, reserve);
  return {
    unresolved(call) {
      const usableUntil = Date.now() / 1_000 + leftSeconds;
      return purse.unresolved.find(({ target, validBefore }) => target === call && validBefore >= usableUntil);
    },
    async pay(call, required) {
      try {
        const payment = await pay(account, purse, call, required);
        log.info(`paying ${payment.usd} USD on ${network}`);
        return payment;
      } catch (error) {
        if (error instanceof OfferRefusedError) {
          return `Nothing was paid. ${error.message}. ${hintOf(error, network)}`;
        }
        if (!(error instanceof SpendingRecordError)) throw error;
        log.warn(`nothing is paid, because the record of what was spent can't be used: ${error.message}`);
        return "Nothing was paid. The record of this wallet's spending can't be read or written, so nothing is signed. The log of entity-search-mcp gives the wallet's owner the reason.";
      }
    },
    settle: (payment, state) => purse.settle(payment, state),
  };
}

function hintOf(error: OfferRefusedError, network: NetworkName): string {
  return error instanceof SpendingLimitError
    ? "The wallet's owner has set this limit for a call and for a day (UTC), for all sessions together. Report it to them."
    : `The wallet's owner allows payments in USDC on ${network} (${networks[network]}) only.`;
}

/** Returns true for 0x and 64 hexadecimal digits that are a valid private key. */
export function isPrivateKey(text: string): boolean {
  return /^0x[0-9a-fA-F]{64}$/.test(text) && addr.isValidPrivateKey(text);
}

const domainType = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const;

function accountOf(privateKey: string): Account {
  return {
    address: addr.fromPrivateKey(privateKey),
    async signTypedData({ domain, types, primaryType, message }) {
      const data = {
        types: { EIP712Domain: domainType, ...types },
        primaryType,
        domain: { ...domain, chainId: BigInt(domain.chainId) },
        message: { ...message, nonce: Uint8Array.from(Buffer.from(message.nonce.slice(2), 'hex')) },
      };
      return signTyped(data, privateKey);
    },
  };
}
