import { OfferRefusedError, SpendingLimitError } from './errors.ts';
import type { Payment, PaymentState } from './payment.ts';

/** A token to pay with. One unit counts as one US dollar. */
export interface Asset {
  /** The CAIP-2 name, such as `eip155:8453`. */
  readonly network: string;
  readonly address: string;
  readonly decimals: number;
  /** The token's EIP-712 domain. If set, an offer must name the same domain. */
  readonly domain?: { readonly name: string; readonly version: string };
}

/** Limits on payments, in US dollars as strings, such as `"0.05"`: a binary fraction would not be the exact amount. */
export interface Spending {
  readonly perCallUsd?: string;
  /** The limit for the life of the client. */
  readonly totalUsd?: string;
  /** By default USDC on Base and on its test network Base Sepolia. */
  readonly assets?: readonly Asset[];
  /** The longest validity of a signature; the server can take the money during this time. */
  readonly signatureSecondsMax?: number;
}

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

/** A payment with its signature, which is private so that it is never printed. */
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

/** Throws TypeError if a text is not an amount. */
export function microsOf(name: string, text: string): bigint {
  const match = typeof text === 'string' ? /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) : null;
  if (match === null) throw new TypeError(`${name} must be an amount in US dollars as a text, such as "0.05"`);
  return BigInt(match[1] ?? '0') * 1_000_000n + BigInt((match[2] ?? '').padEnd(microDigits, '0'));
}

/** Converts an amount in a token's base units to millionths of a dollar. */
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
 * Reserves an amount before a signature, and returns a function that releases it if nothing was sent. Throws
 * SpendingLimitError if the amount exceeds the limit.
 */
export type Reserve = (micros: bigint) => () => void;

/** Throws SpendingLimitError if an amount exceeds the rest of a limit. */
export function assertWithin(micros: bigint, spent: bigint, limit: bigint): void {
  if (spent + micros <= limit) return;
  throw new SpendingLimitError(
    `The call costs ${dollars(micros)} USD; of ${dollars(limit)}, ${dollars(spent)} are spent or bound by signatures`,
  );
}

/** The limit of one client. */
function reserveUpTo(limit: bigint): Reserve {
  let spent = 0n;
  return (micros) => {
    assertWithin(micros, spent, limit);
    spent += micros;
    return () => {
      spent -= micros;
    };
  };
}

/**
 * Keeps a client within its limit. Every signature counts forever, also one that the server refused: a server that takes
 * the money and denies it gets no more than the limit.
 */
export class Purse {
  readonly #perCall: bigint;
  readonly #reserve: Reserve;
  readonly #assets: readonly Asset[];
  readonly signatureSecondsMax: number;
  #charged = 0n;
  #unresolved: readonly SignedPayment[] = [];

  /** @param reserve by default for this client alone, up to `totalUsd` */
  constructor(
    { perCallUsd = '0.05', totalUsd = '1', assets = usdc, signatureSecondsMax = 600 }: Spending,
    reserve = reserveUpTo(microsOf('totalUsd', totalUsd)),
  ) {
    this.#perCall = microsOf('perCallUsd', perCallUsd);
    this.#reserve = reserve;
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

  /** Returns the token of an address. Throws OfferRefusedError if it is not allowed. */
  assetOf(network: string, address: string): Asset {
    const asset = this.#assets.find(
      (each) => each.network === network && each.address.toLowerCase() === address.toLowerCase(),
    );
    if (asset !== undefined) return asset;
    throw new OfferRefusedError(`The server wants to be paid in a token that is not allowed: ${address} on ${network}`);
  }

  /** Reserves an amount before a signature, and returns its release. Throws SpendingLimitError if it exceeds a limit. */
  reserve(micros: bigint): () => void {
    if (micros > this.#perCall) {
      throw new SpendingLimitError(
        `The call costs ${dollars(micros)} USD, and one call may cost ${dollars(this.#perCall)}`,
      );
    }
    return this.#reserve(micros);
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
