import type { Outcome, PurchaseLimits } from '../../../src/payments/flow/context.ts';
import { assetsOn } from '../../../src/payments/protocol/assets.ts';
import type { Hex, NetworkName } from '../../../src/payments/protocol/networks.ts';
import type { Entrance, Terms } from '../../../src/payments/protocol/terms.ts';
import type { Spending } from './chain.ts';
import type { Faults } from './ports.ts';

export const price = 10_000n;
export const epochMs = 1_800_000_000_000;
export const validSeconds = 60;
export const observeMs = 30_000;
export const auditMs = 40_000;

export interface PayerPlan {
  /** One hexadecimal digit: payers with the same one have the same key. */
  readonly key: string;
  readonly query: string;
  /** The payment of a later try: the same one, or a newly signed one as published clients send it. */
  readonly style: 'same' | 'fresh';
  readonly attempts: number;
  /** The process whose terms are signed. Default: the one that gets the request. */
  readonly signsFor?: string;
  /** The client's own name of its purchase: 16 characters at least. */
  readonly paymentId?: string;
  /** The processes that the tries go to, one after the other. */
  readonly via: readonly string[];
  /** The ways in that the tries take, one after the other. Default: the HTTP route. */
  readonly entrances?: readonly Entrance[];
}

/** Possible events around the service, each at the cost of one deviation. */
export interface Happenings {
  readonly crashes?: boolean;
  readonly leases?: boolean;
  readonly expiry?: boolean;
  readonly reorgs?: boolean;
  readonly drops?: boolean;
  /** The payer uses the authorizations otherwise: by a transaction of their own, or cancels them. */
  readonly payerSpends?: boolean;
  /** The payer spends all signed authorizations in one transaction, and pays us with only one of them. */
  readonly payerBatches?: boolean;
  readonly leaving?: boolean;
  /** A payer takes a running request for dead, and the service does not notice: a proxy holds the connection. */
  readonly impatience?: boolean;
  readonly stopping?: boolean;
  /** The database goes back, and loses a row. */
  readonly losses?: boolean;
  /** A third party who has seen a payment on the chain presents it for another search, or with other words. */
  readonly strangers?: boolean;
}

export interface PaymentScenario {
  readonly name: string;
  readonly description: string;
  /** Names of API processes, with the terms that each is configured with. */
  readonly apis: Readonly<Record<string, Terms>>;
  readonly payers: readonly PayerPlan[];
  /** The number of searches that each key can pay for. Default: plenty. */
  readonly funds?: Readonly<Record<string, number>>;
  readonly faults: Faults;
  readonly happenings: Happenings;
  /** The number of rows of a network without a node, which stay undecided. */
  readonly undecidable?: number;
  readonly passMax?: number;
  /** Pause of the observer; default 30 s. */
  readonly observeMs?: number;
  /** Processes with an observer; default 1. */
  readonly observers?: number;
  /** Ledger and chain are compared every 40 s. */
  readonly audited?: boolean;
  /** The milliseconds by which clocks of API processes are ahead of the chain's. */
  readonly clocks?: Readonly<Record<string, number>>;
  readonly withoutNode?: readonly string[];
  /** Postgres' clock is ahead of the chain's by this many milliseconds. */
  readonly postgresAheadMs?: number;
  /** The node's index of logs is behind by this many blocks. */
  readonly logLagBlocks?: number;
}

export const recipients = { first: `0x${'11'.repeat(20)}`, second: `0x${'22'.repeat(20)}` } as const;

export function terms(payTo: Hex = recipients.first, network: NetworkName = 'eip155:84532'): Terms {
  const [asset] = assetsOn(network);
  if (asset === undefined) throw new Error(`No token is taken on ${network}.`);
  return { asset, payTo, amount: price, maxTimeoutSeconds: validSeconds };
}

export const day = 86_400_000;
export const limits: PurchaseLimits = {
  validity: { minLeftSeconds: 15, maxLeftSeconds: 3_600 },
  leaseMs: 10_000,
  reconcileMs: 25,
  followMs: 60,
  openMax: 8,
  recoverMs: 30 * day,
};

export const keepMs = 365 * day;

/** A request under way, as its payer sees it. */
export interface Exchange {
  readonly name: string;
  /** Nonces that had moved money to us when it began. */
  readonly landedBefore: ReadonlySet<Hex>;
  /** Nonces that had a row when it began, so their work began earlier. */
  readonly claimedBefore: ReadonlySet<Hex>;
  readonly purchase: string;
  readonly process: string;
  readonly client: AbortController;
  outcome: Outcome | null;
  broken: boolean;
  crashed: boolean;
  /** The service believes that its answer is delivered. */
  unnoticed: boolean;
  /** It has asked the facilitator to settle. */
  asked: boolean;
  over: boolean;
}

export interface Signed {
  readonly header: string;
  readonly spending: Spending;
  readonly query: string;
  readonly key: string;
  /** The entrance by which its payer finally requests the paid search. */
  readonly entrance: Entrance;
}

export function addressOf(key: string): Hex {
  return `0x${key.repeat(40)}`;
}

export function purchaseOf({ key, query }: { readonly key: string; readonly query: string }): string {
  return `${key} ${query}`;
}

export const ledgerSettings = {
  openMax: limits.openMax,
  unsettledMax: 16,
  replayMs: 900_000,
  claimableMs: 30 * day,
  repeatMs: 180_000,
};

/** Returns the balance of each payer's address. */
export function fundsOf({ payers, funds }: PaymentScenario): Map<Hex, bigint> {
  return new Map(payers.map(({ key }) => [addressOf(key), price * BigInt(funds?.[key] ?? 9)]));
}
