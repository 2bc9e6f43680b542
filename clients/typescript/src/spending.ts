import { OfferRefusedError, SpendingLimitError } from './errors.ts';
import type { Payment, PaymentState } from './payment.ts';

/** A token that may be paid with, as worth one US dollar per unit. */
export interface Asset {
  /** As in CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  readonly address: string;
  readonly decimals: number;
}

/** What a client may spend, in US dollars as texts, such as `"0.05"`: binary fractions are not the amount that was written. */
export interface Spending {
  readonly perCallUsd?: string;
  /** In all, as long as the client lives. */
  readonly totalUsd?: string;
  /** By default USDC on Base and on its test network Base Sepolia. */
  readonly assets?: readonly Asset[];
  /** The longest time for which a signature may be good: a server can take the money that long. */
  readonly signatureSecondsMax?: number;
}

const usdc: readonly Asset[] = [
  { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
  { network: 'eip155:84532', address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', decimals: 6 },
];

/** The same, as the client keeps it. The signature is no property that is printed. */
export class SignedPayment implements Payment {
  readonly target: string;
  readonly network: string;
  readonly asset: string;
  readonly nonce: string;
  readonly validBefore: number;
  state: PaymentState = 'unknown';
  readonly #micros: bigint;
  readonly #header: string;

  constructor(parts: Omit<Payment, 'usd' | 'state'> & { readonly micros: bigint; readonly header: string }) {
    this.target = parts.target;
    this.network = parts.network;
    this.asset = parts.asset;
    this.nonce = parts.nonce;
    this.validBefore = parts.validBefore;
    this.#micros = parts.micros;
    this.#header = parts.header;
  }

  get usd(): string {
    return dollars(this.#micros);
  }

  get micros(): bigint {
    return this.#micros;
  }

  get header(): string {
    return this.#header;
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

export function dollars(micros: bigint): string {
  const fraction = (micros % 1_000_000n).toString().padStart(microDigits, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${micros / 1_000_000n}.${fraction}`;
}

/**
 * Keeps a client within its limit. What is reserved, signed or charged counts. A payment that the server refused counts
 * until its signature has ended, and one of unknown fate for ever: a server that takes the money and denies it gets no
 * more than the limit.
 */
export class Purse {
  readonly #perCall: bigint;
  readonly #total: bigint;
  readonly #assets: readonly Asset[];
  readonly signatureSecondsMax: number;
  #reserved = 0n;
  #charged = 0n;
  #payments: SignedPayment[] = [];

  constructor({ perCallUsd = '0.05', totalUsd = '1', assets = usdc, signatureSecondsMax = 600 }: Spending) {
    this.#perCall = microsOf('perCallUsd', perCallUsd);
    this.#total = microsOf('totalUsd', totalUsd);
    this.#assets = assets;
    this.signatureSecondsMax = signatureSecondsMax;
  }

  get chargedUsd(): string {
    return dollars(this.#charged);
  }

  /** Signed payments of which it is not known whether they were charged. */
  get unresolved(): readonly SignedPayment[] {
    return this.#payments.filter(({ state }) => state === 'unknown');
  }

  /** What an amount in a token's base units is worth, in millionths of a dollar. Throws where the token is not allowed. */
  worth(network: string, address: string, amount: bigint): bigint {
    const asset = this.#assets.find(
      (each) => each.network === network && each.address.toLowerCase() === address.toLowerCase(),
    );
    if (asset === undefined) {
      throw new OfferRefusedError(
        `The server wants to be paid in a token that is not allowed: ${address} on ${network}`,
      );
    }
    const shift = asset.decimals - microDigits;
    if (shift <= 0) return amount * 10n ** BigInt(-shift);
    const unit = 10n ** BigInt(shift);
    return (amount + unit - 1n) / unit;
  }

  /** Keeps an amount while it is signed for. Throws where it is over a limit. */
  reserve(micros: bigint): void {
    if (micros > this.#perCall) {
      throw new SpendingLimitError(
        `The call costs ${dollars(micros)} USD, and one call may cost ${dollars(this.#perCall)}`,
      );
    }
    const now = Date.now() / 1_000;
    this.#payments = this.#payments.filter(({ state, validBefore }) => state === 'unknown' || validBefore >= now);
    const bound = this.#payments.reduce((sum, each) => sum + each.micros, this.#charged + this.#reserved);
    if (bound + micros > this.#total) {
      throw new SpendingLimitError(
        `The call costs ${dollars(micros)} USD; of ${dollars(this.#total)}, ${dollars(bound)} are spent or bound by signatures`,
      );
    }
    this.#reserved += micros;
  }

  /** Nothing was signed for it. */
  release(micros: bigint): void {
    this.#reserved -= micros;
  }

  /** What was reserved is now bound by a signature. */
  add(payment: SignedPayment): void {
    this.#reserved -= payment.micros;
    this.#payments.push(payment);
  }

  /** What the server said of a payment. A charge is counted once, and nothing undoes it. */
  settle(payment: SignedPayment, state: 'refused' | 'charged'): void {
    if (payment.state === 'charged') return;
    payment.state = state;
    if (state === 'refused') return;
    this.#charged += payment.micros;
    this.#payments = this.#payments.filter((each) => each !== payment);
  }

  /** A payment is sent again: until an answer tells, it may be charged. */
  reopen(payment: SignedPayment): void {
    if (payment.state !== 'refused') return;
    payment.state = 'unknown';
    if (!this.#payments.includes(payment)) this.#payments.push(payment);
  }
}
