import { usd } from './assets.ts';
import { extensionsOf } from './discovery.ts';
import { type Accepted, acceptedOf, type Terms } from './terms.ts';

/** Where the paid search is, below the base address. */
export const paidSearchPath = '/api/v1/x402/search';

/** The body of a 402, and the PAYMENT-REQUIRED header's JSON. */
export interface PaymentRequired {
  readonly x402Version: 2;
  readonly error: string;
  readonly code: string;
  readonly resource: {
    readonly url: string;
    readonly description: string;
    readonly mimeType: 'application/json';
    readonly serviceName: string;
    readonly tags: readonly string[];
  };
  readonly accepts: readonly [Accepted];
  readonly extensions: Readonly<Record<string, unknown>>;
}

export interface RequiredOptions {
  readonly terms: Terms;
  /** Base address, without a slash at its end. */
  readonly baseUrl: string;
  readonly bazaar: boolean;
}

/**
 * @param code why payment is asked for, for programs
 * @param error the same as a sentence
 */
export function paymentRequired(options: RequiredOptions, code: string, error: string): PaymentRequired {
  const price = usd(options.terms.amount, options.terms.asset);
  return {
    x402Version: 2,
    error,
    code,
    resource: {
      url: options.baseUrl + paidSearchPath,
      description: `Search over Web3 companies, people and investors. Each request costs ${price} USD, charged once and only for an answer; page is only echoed, so page 2 costs the same for the same results.`,
      mimeType: 'application/json',
      serviceName: 'Entity Search',
      tags: ['search', 'web3', 'companies', 'people', 'investors'],
    },
    accepts: [acceptedOf(options.terms)],
    extensions: extensionsOf(options),
  };
}
