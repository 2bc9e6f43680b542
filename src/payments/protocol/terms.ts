import { serviceDescription } from '../../lib/service-description.ts';
import { type Asset, networkOf, usd } from './assets.ts';
import { extensionsOf } from './discovery.ts';
import type { Hex } from './networks.ts';

/** The price of a search and its recipient. Amounts are in token base units. */
export interface Terms {
  readonly asset: Asset;
  /** The recipient, with its checksum. */
  readonly payTo: Hex;
  readonly amount: bigint;
  /** The validity of an authorization made by a client, from the client's clock. */
  readonly maxTimeoutSeconds: number;
}

/** Returns the terms for the facilitator, with the fields of protocol version 2 alone. */
export function requirementsOf(terms: Terms) {
  return {
    scheme: 'exact' as const,
    network: terms.asset.network,
    amount: terms.amount.toString(),
    asset: terms.asset.address,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: terms.asset.domain,
  };
}

/** Returns an item of `accepts`: the protocol's own fields, the older `maxAmountRequired` and a text for people. */
export function acceptedOf(terms: Terms, entrance: Entrance = 'http') {
  const { scheme, network, ...rest } = requirementsOf(terms);
  return {
    scheme,
    network,
    maxAmountRequired: rest.amount,
    ...rest,
    description: `Pay ${usd(terms.amount, terms.asset)} USD in ${terms.asset.symbol} on ${networkOf(terms.asset).title} for one search${sold[entrance].remark}`,
  };
}

export const paidSearchPath = '/api/v1/x402/search';

/** The path of the MCP server below the base address. */
export const mcpPath = '/mcp';

/**
 * The two entrances: the HTTP route and the tool of the MCP server. They share a ledger, so the same search is the same
 * purchase at either.
 */
export type Entrance = 'http' | 'mcp';

/**
 * The texts of an offer by entrance. Catalogues know a tool by its server's address and its name (mcp-discovery.ts).
 */
const sold: Readonly<Record<Entrance, { readonly path: string; readonly remark: string; readonly more: string }>> = {
  http: {
    path: paidSearchPath,
    remark: '; page is only echoed',
    more: '; page is only echoed, so page 2 costs the same for the same results',
  },
  mcp: { path: mcpPath, remark: '', more: ' that is not an error' },
};

export interface RequiredOptions {
  readonly terms: Terms;
  /** Base address, without a slash at its end. */
  readonly baseUrl: string;
  readonly entrance: Entrance;
}

/**
 * Returns the body of a 402, which is also the PAYMENT-REQUIRED header's JSON and the offer in a tool's result.
 * @param code the reason, for programs
 * @param error the reason as a sentence
 */
export function paymentRequired(options: RequiredOptions, code: string, error: string) {
  const price = usd(options.terms.amount, options.terms.asset);
  const { path, more } = sold[options.entrance];
  return {
    x402Version: 2 as const,
    error,
    code,
    resource: {
      url: options.baseUrl + path,
      description: `Search over Web3 companies, people and investors. Each request costs ${price} USD, charged once and only for an answer${more}.`,
      mimeType: 'application/json' as const,
      serviceName: serviceDescription.title,
      tags: serviceDescription.tags,
    },
    accepts: [acceptedOf(options.terms, options.entrance)],
    extensions: extensionsOf(options.entrance),
  };
}

export type PaymentRequired = ReturnType<typeof paymentRequired>;
