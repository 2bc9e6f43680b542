import { addr, signTyped } from 'micro-eth-signer';
import { OfferRefusedError, SpendingLimitError } from '../../../clients/typescript/src/errors.ts';
import { Purse, type SignedPayment, usdc } from '../../../clients/typescript/src/spending.ts';
import { type Account, pay } from '../../../clients/typescript/src/wallet.ts';
import type { Log } from './log.ts';
import { type NetworkName, networks, options } from './options.ts';

// The payments of the TypeScript client, within its limits, for calls of MCP.

export interface WalletSettings {
  readonly privateKey: string;
  readonly network: NetworkName;
  readonly perCallUsd: string;
  readonly perSessionUsd: string;
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

export function createPayer(wallet: WalletSettings, log: Log): Payer {
  const { network, perCallUsd, perSessionUsd: totalUsd } = wallet;
  const purse = new Purse({ perCallUsd, totalUsd, assets: usdc.filter((asset) => asset.network === network) });
  const account = accountOf(wallet.privateKey);
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
        if (!(error instanceof OfferRefusedError)) throw error;
        return `Nothing was paid. ${error.message}. ${hintOf(error, network)}`;
      }
    },
    settle: (payment, state) => purse.settle(payment, state),
  };
}

function hintOf(error: OfferRefusedError, network: NetworkName): string {
  return error instanceof SpendingLimitError
    ? `If that price is right, raise ${options.perCall.env} or ${options.perSession.env} and restart the server.`
    : `The wallet pays in USDC on ${network} (${networks[network]}) only; ${options.network.env} sets the network.`;
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
