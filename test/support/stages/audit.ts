import { parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { localAccounts } from '../../../dev/chain/accounts.ts';
import { sendBatch } from '../../../dev/chain/authorizations.ts';
import { chainClient } from '../../../dev/chain/chain.ts';
import { localAsset, localNetwork } from '../../../dev/chain/network.ts';
import { receiptOf } from '../../../dev/chain/receipt.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import { expectServed } from '../payments/paid-answer.ts';
import { newPayer, type Payer, type PaymentDraft, type SignedPayment, signPayment } from '../payments/payers.ts';
import { type NodeProxy, startNodeProxy } from '../proxies/chain-node.ts';
import { send } from '../proxies/loopback.ts';
import { type PaidApi, type PaidStage, setPaidStage } from './paid.ts';

// A ledger and a chain. Each test has its own tables and recipient, so that other tests' transfers don't count.

export let stage: PaidStage;
export let api: PaidApi;
export let payer: Payer;
/** The recipient, with its checksum. */
export let merchant: Hex;

/** One block more than may still be replaced. */
export const finalAfter = localNetwork.reorgBlocks + 1;

/** Sets the stage for a file's tests, with an API and a payer for each of them. */
export function useAuditStage(): void {
  beforeAll(async () => {
    stage = await setPaidStage();
  });

  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    await stage.stage.pool.query('truncate x402_payments, x402_recipients, x402_audit_findings restart identity');
    await makeFinal();
    payer = await newPayer(stage.chain.chain, 20);
    merchant = newRecipient();
    api = await stage.startApi({ X402_PAY_TO: merchant });
  });

  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });
}

export const newRecipient = (): Hex => privateKeyToAccount(generatePrivateKey()).address;
export const client = () => chainClient(stage.chain.chain);
export const makeFinal = () => client().mine({ blocks: finalAfter });

interface Recipient {
  readonly pay_to: string;
  readonly network: string;
  readonly state: string;
  readonly from_block: number;
  readonly to_block: number;
  readonly transfers: number;
  readonly received: string;
  readonly received_usd: string;
}

interface Finding {
  readonly id: number;
  readonly kind: string;
  readonly transaction: string | null;
  readonly log_index: number | null;
  readonly payment: number | null;
  readonly payer: string | null;
  readonly amount: string | null;
  readonly block: number;
}

/** Runs the audit like an operator. */
export async function audit(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { code, out, err } = await entitySearch(['payments', 'audit', ...args], {
    ...stage.env,
    X402_PAY_TO: merchant,
    ...env,
  });
  const { recipients, findings } = JSON.parse(out || '{"recipients":[],"findings":[]}') as {
    readonly recipients: readonly Recipient[];
    readonly findings: readonly Finding[];
  };
  return { code, err, recipients, findings };
}

/** A payment to the test's recipient. */
export const sign = (draft: PaymentDraft = {}): Promise<SignedPayment> =>
  signPayment(payer, { to: merchant, accepted: { payTo: merchant }, ...draft });

/** Buys and delivers one search. */
export async function buy(q: string): Promise<{ readonly transaction: string; readonly payment: SignedPayment }> {
  const payment = await sign();
  const { transaction } = expectServed(await api.get(`q=${q}`, payment.header));
  await stage.settledRows(payer);
  return { transaction, payment };
}

/** Sends money by hand, as the payer. */
export async function plainTransfer(value: bigint, to = merchant): Promise<Hex> {
  const { account } = payer;
  await client().setBalance({ address: account.address, value: 10n ** 18n });
  const hash = await client().writeContract({
    account,
    chain: null,
    address: localAsset.address,
    abi: parseAbi(['function transfer(address to, uint256 value) returns (bool)']),
    functionName: 'transfer',
    args: [to, value],
  });
  await receiptOf(client(), hash);
  return hash;
}

/** Several authorizations in one transaction. */
export async function submitTogether(payments: readonly SignedPayment[]): Promise<Hex> {
  const hash = await sendBatch(stage.chain.chain, payments);
  await receiptOf(client(), hash);
  return hash;
}

/** Returns a chain's node whose answers `own` may replace; null: the node itself answers. */
export async function startNode(
  own: (method: string, filter: { readonly fromBlock: string; readonly toBlock: string }) => object | null,
): Promise<NodeProxy> {
  const proxy = await startNodeProxy(stage.chain.chain);
  proxy.set(({ method, id, params, response, forward }) => {
    const changed = own(method, params[0] ?? { fromBlock: '', toBlock: '' });
    if (changed === null) return forward();
    send(response, 200, JSON.stringify({ jsonrpc: '2.0', id, ...changed }));
  });
  return proxy;
}

export async function revertTo(snapshot: Hex): Promise<void> {
  const address = localAccounts.facilitator.address;
  const nonce = await client().getTransactionCount({ address });
  await client().revert({ id: snapshot });
  // The facilitator counts its nonces itself.
  await client().setNonce({ address, nonce });
}
