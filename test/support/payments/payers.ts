import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { localAccounts } from '../../../dev/chain/accounts.ts';
import { type SignedAuthorization, sendCancellation, sendTransfer } from '../../../dev/chain/authorizations.ts';
import { chainClient, mint } from '../../../dev/chain/chain.ts';
import { localAsset } from '../../../dev/chain/network.ts';
import { newNonce, paymentOf, price } from '../../../dev/chain/payment.ts';
import { receiptOf } from '../../../dev/chain/receipt.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import { type Authorization, encodeHeader } from '../../../src/payments/protocol/payload.ts';
import { typedAuthorization } from '../../../src/payments/protocol/signature.ts';

export const payTo = localAccounts.merchant.address;

/** A payer with a key and dollars on the local chain. */
export interface Payer {
  readonly account: PrivateKeyAccount;
  /** In lower case, as in rows. */
  readonly address: Hex;
  readonly key: Hex;
  /** Initial balance, in base units. */
  readonly funds: bigint;
}

/** Creates a payer who can pay for this many searches. */
export async function newPayer(chainUrl: string, searches = 10): Promise<Payer> {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const funds = price * BigInt(searches);
  if (funds > 0n) await mint(chainUrl, account.address, funds);
  return { account, key, address: account.address.toLowerCase() as Hex, funds };
}

export async function newPayers(chainUrl: string, count: number, searches?: number): Promise<readonly Payer[]> {
  const payers: Payer[] = [];
  while (payers.length < count) payers.push(await newPayer(chainUrl, searches));
  return payers;
}

/** The changes that a test makes to a payment before it is sent. */
export interface PaymentDraft {
  readonly from?: Hex;
  readonly to?: Hex;
  readonly value?: bigint;
  readonly validAfter?: bigint;
  readonly validForSeconds?: number;
  readonly nonce?: Hex;
  /** Changes the signature's bytes. */
  readonly tamper?: (signature: Hex) => Hex;
  /** Signs for another domain. */
  readonly domainName?: string;
  readonly accepted?: Readonly<Record<string, unknown>>;
  readonly extensions?: unknown;
  readonly whole?: Readonly<Record<string, unknown>>;
}

export interface SignedPayment extends SignedAuthorization {
  readonly header: string;
}

/** Signs like the published clients, with the draft's changes. */
export async function signPayment(payer: Payer, draft: PaymentDraft = {}): Promise<SignedPayment> {
  const authorization: Authorization = {
    from: draft.from ?? payer.account.address,
    to: draft.to ?? payTo,
    value: draft.value ?? price,
    validAfter: draft.validAfter ?? 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + (draft.validForSeconds ?? 300)),
    nonce: draft.nonce ?? newNonce(),
  };
  const domain = { ...localAsset.domain, ...(draft.domainName ? { name: draft.domainName } : {}) };
  const signed = await payer.account.signTypedData(typedAuthorization(authorization, { ...localAsset, domain }));
  const signature = draft.tamper?.(signed) ?? signed;
  const payment = paymentOf(payTo, authorization, signature);
  const header = encodeHeader({
    ...payment,
    accepted: { ...payment.accepted, ...draft.accepted },
    ...(draft.extensions === undefined ? {} : { extensions: draft.extensions }),
    ...draft.whole,
  });
  return { header, authorization, signature };
}

/** Returns the published client's fetch, which pays automatically. */
export function payingFetch(payer: Payer): typeof fetch {
  const client = new x402Client().register(localAsset.network, new ExactEvmScheme(payer.account));
  return wrapFetchWithPayment(fetch, client) as typeof fetch;
}

/** Submits the authorization to the chain as a third party. Returns the transaction. */
export async function submitByStranger(chainUrl: string, payment: SignedPayment): Promise<Hex> {
  const hash = await sendTransfer(chainUrl, payment);
  await receiptOf(chainClient(chainUrl), hash);
  return hash;
}

export async function cancel(chainUrl: string, payer: Payer, payment: SignedPayment): Promise<void> {
  const hash = await sendCancellation(chainUrl, payer.account, payment.authorization.nonce);
  await receiptOf(chainClient(chainUrl), hash);
}
