import type { Hex, Network } from './networks.ts';

/** What a search costs and where the money goes. Amounts are token base units. */
export interface Terms {
  readonly network: Network;
  /** The recipient, with its checksum. */
  readonly payTo: Hex;
  readonly amount: bigint;
  /** How long an authorization made by a client is valid, from its clock. */
  readonly maxTimeoutSeconds: number;
}

/** USDC counts in millionths of a dollar. */
const unitsPerDollar = 1_000_000n;

/** Base units as dollars, such as `0.01`: at least two decimals, no more than are needed. */
export function usd(amount: bigint): string {
  const fraction = (amount % unitsPerDollar).toString().padStart(6, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${amount / unitsPerDollar}.${fraction}`;
}

/** The terms as protocol version 2 defines them, and nothing more: what the facilitator is told. */
export interface Requirements {
  readonly scheme: 'exact';
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string };
}

export function requirementsOf(terms: Terms): Requirements {
  return {
    scheme: 'exact',
    network: terms.network.name,
    amount: terms.amount.toString(),
    asset: terms.network.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: terms.network.domain,
  };
}

/** An item of `accepts`: the older `maxAmountRequired` and a text for people stand beside the protocol's own fields. */
export type Accepted = Requirements & { readonly maxAmountRequired: string; readonly description: string };

export function acceptedOf(terms: Terms): Accepted {
  const { scheme, network, ...rest } = requirementsOf(terms);
  return {
    scheme,
    network,
    maxAmountRequired: rest.amount,
    ...rest,
    description: `Pay ${usd(terms.amount)} USD in USDC on ${terms.network.title} for one search; page is only echoed`,
  };
}
