import { type Asset, networkOf, usd } from './assets.ts';
import type { Hex } from './networks.ts';

/** What a search costs and where the money goes. Amounts are token base units. */
export interface Terms {
  readonly asset: Asset;
  /** The recipient, with its checksum. */
  readonly payTo: Hex;
  readonly amount: bigint;
  /** How long an authorization made by a client is valid, from its clock. */
  readonly maxTimeoutSeconds: number;
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
    network: terms.asset.network,
    amount: terms.amount.toString(),
    asset: terms.asset.address,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: terms.asset.domain,
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
    description: `Pay ${usd(terms.amount, terms.asset)} USD in ${terms.asset.symbol} on ${networkOf(terms.asset).title} for one search; page is only echoed`,
  };
}
