import { OfferRefusedError, SpendingLimitError } from './errors.ts';
import type { Payment, PaymentState } from './payment.ts';

/** A token that may be paid with, as worth one US dollar per unit. */
export interface Asset {
  /** As in CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  readonly address: string;
  readonly decimals: number;
  /** The token's EIP-712 domain. If set, an offer must name the same domain. */
  readonly domain?: { readonly name: string; readonly version: string };
}

/** Limits on payments, in US dollars as strings, such as `"0.05"`: a binary fraction would not be the exact amount. */
export interface Spending {
  readonly perCallUsd?: string;
  /** In all, as long as the client lives. */
  readonly totalUsd?: string;
  /** By default USDC on Base and on its test network Base Sepolia. */
  readonly assets?: readonly Asset[];
  /** The longest time for which a signature may be good: a server can take the money that long. */
  readonly signatureSecondsMax?: number;
}

/** USDC on Base and on Base Sepolia. */
export const usdc = [
  {
    network: 'eip155:8453',
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    decimals: 6,
    domain: { name: 'USD Coin', version: '2' },
  },
  {
    network: 'eip155:84532',
    address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    decimals: 6,
    domain: { name: 'USDC', version: '2' },
  },
] as const satisfies readonly Asset[];

/** The same, as the client keeps it. The signature is no property that is printed. */
export class SignedPayment implements Payment {
  readonly target: string;
  readonly network: string;
  readonly asset: string;
  readonly nonce: string;
  readonly validBefore: number;
  state: PaymentState = 'unknown';
  readonly #micros: bigint;
  readonly #payload: object;

  constructor(parts: Omit<Payment, 'usd' | 'state'> & { readonly micros: bigint; readonly payload: object }) {
    this.target = parts.target;
    this.network = parts.network;
    this.asset = parts.asset;
    this.nonce = parts.nonce;
    this.validBefore = parts.validBefore;
    this.#micros = parts.micros;
    this.#payload = parts.payload;
  }

  get usd(): string {
    return dollars(this.#micros);
  }

  get micros(): bigint {
    return this.#micros;
  }

  /** The x402 payload, with the signature. */
  get payload(): object {
    return this.#payload;
  }
}

// Money is counted in millionths of a dollar, rounded up, so that a finer token can't cost more than it seems.
const microDigits = 6;

/** Throws TypeError for what is no amount. */
function microsOf(name: string, text: string): bigint {
  const match = typeof text === 'string' ? /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) : null;
  if (match === null) throw new TypeError(`${name} must be an amount in US dollars as a text, such as "0.05"`);
  return BigInt(match[1] ?? '0') * 1_000_000n + BigInt((match[2] ?? '').padEnd(microDigits, '0'));
}

/** The worth of an amount in a token's base units, in millionths of a dollar. */
export function worthOf(amount: bigint, { decimals }: Asset): bigint {
  const shift = decimals - microDigits;
  if (shift <= 0) return amount * 10n ** BigInt(-shift);
  const unit = 10n ** BigInt(shift);
  return (amount + unit - 1n) / unit;
}

export function dollars(micros: bigint): string {
  const fraction = (micros % 1_000_000n).toString().padStart(microDigits, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${micros / 1_000_000n}.${fraction}`;
}

/**
 * Keeps a client within its limit. Every signature counts for ever, also one that the server refused: a server that takes
 * the money and denies it gets no more than the limit.
 */
export class Purse {
  readonly #perCall: bigint;
  readonly #total: bigint;
  readonly #assets: readonly Asset[];
  readonly signatureSecondsMax: number;
  #signed = 0n;
  #charged = 0n;
  #unresolved: readonly SignedPayment[] = [];

  constructor({ perCallUsd = '0.05', totalUsd = '1', assets = usdc, signatureSecondsMax = 600 }: Spending) {
    this.#perCall = microsOf('perCallUsd', perCallUsd);
    this.#total = microsOf('totalUsd', totalUsd);
    this.#assets = assets;
    this.signatureSecondsMax = signatureSecondsMax;
  }

  get chargedUsd(): string {
    return dollars(this.#charged);
  }

  /** Signed payments that may have been charged. */
  get unresolved(): readonly SignedPayment[] {
    return this.#unresolved;
  }

  /** The token of an address, if it may be paid with. Throws OfferRefusedError for any other. */
  assetOf(network: string, address: string): Asset {
    const asset = this.#assets.find(
      (each) => each.network === network && each.address.toLowerCase() === address.toLowerCase(),
    );
    if (asset !== undefined) return asset;
    throw new OfferRefusedError(`The server wants to be paid in a token that is not allowed: ${address} on ${network}`);
  }

  /** Takes an amount before it is signed for. Throws SpendingLimitError where it is over a limit. */
  reserve(micros: bigint): void {
    if (micros > this.#perCall) {
      throw new SpendingLimitError(
        `The call costs ${dollars(micros)} USD, and one call may cost ${dollars(this.#perCall)}`,
      );
    }
    if (this.#signed + micros > this.#total) {
      throw new SpendingLimitError(
        `The call costs ${dollars(micros)} USD; of ${dollars(this.#total)}, ${dollars(this.#signed)} are spent or bound by signatures`,
      );
    }
    this.#signed += micros;
  }

  /** Returns an amount for which nothing was signed. */
  release(micros: bigint): void {
    this.#signed -= micros;
  }

  /** Records that a payment is sent: it may be charged until an answer settles it. */
  open(payment: SignedPayment): void {
    if (payment.state === 'charged') return;
    payment.state = 'unknown';
    if (!this.#unresolved.includes(payment)) this.#unresolved = [...this.#unresolved, payment];
  }

  /** Records the outcome that the server reported. A charge is counted once and is final. */
  settle(payment: SignedPayment, state: 'refused' | 'charged'): void {
    if (payment.state === 'charged') return;
    payment.state = state;
    this.#unresolved = this.#unresolved.filter((each) => each !== payment);
    if (state === 'charged') this.#charged += payment.micros;
  }
}
