import { OfferRefusedError } from './errors.ts';
import { type Purse, SignedPayment, worthOf } from './spending.ts';

// Payments by x402, version 2, scheme "exact": an EIP-3009 authorization with an EIP-712 signature.

/** A signer: an account of viem, or any object with an address that signs typed data the same way. */
export interface Account {
  readonly address: string;
  signTypedData(data: TypedData): Promise<string>;
}

/** EIP-712 data in the form of viem's `signTypedData`. */
export interface TypedData {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: `0x${string}`;
  };
  readonly types: typeof types;
  readonly primaryType: 'TransferWithAuthorization';
  readonly message: {
    readonly from: `0x${string}`;
    readonly to: `0x${string}`;
    readonly value: bigint;
    readonly validAfter: bigint;
    readonly validBefore: bigint;
    readonly nonce: `0x${string}`;
  };
}

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** The fields that are read from one of a server's offers. */
interface Offer {
  readonly network: string;
  readonly chainId: number;
  readonly amount: bigint;
  /** The amount in millionths of a dollar. */
  readonly micros: bigint;
  readonly asset: `0x${string}`;
  readonly payTo: `0x${string}`;
  readonly seconds: number;
  readonly name: string;
  readonly version: string;
  /** The offer as received, which the payment must repeat. */
  readonly accepted: object;
}

/** The largest number of offers that are read. */
const offersMax = 32;
/** The largest payment header, in bytes, that a server accepts. */
const headerMax = 8_192;

/** Returns an account. For a private key, loads viem, which is not needed otherwise. */
export async function accountOf(wallet: string | Account): Promise<Account> {
  if (typeof wallet !== 'string') return wallet;
  const { privateKeyToAccount } = await import('viem/accounts');
  const account = privateKeyToAccount(`0x${wallet.replace(/^0x/, '')}`);
  return { address: account.address, signTypedData: (data) => account.signTypedData(data) };
}

/** Throws if a text is not a private key. The error never contains the text. */
export function checkWallet(wallet: string | Account | undefined): void {
  if (typeof wallet === 'string' && !/^(?:0x)?[0-9a-fA-F]{64}$/.test(wallet)) {
    throw new TypeError('wallet must be a private key (0x and 64 hexadecimal digits), or an account of viem');
  }
}

/**
 * Signs the cheapest offer that may be paid.
 * @param target what is bought: path and query, or any text that is the same for equal calls
 * @param required `PaymentRequired` of x402, not checked before
 */
export async function pay(account: Account, purse: Purse, target: string, required: unknown): Promise<SignedPayment> {
  const offers: Offer[] = [];
  let refusal: unknown;
  for (const item of acceptsOf(required)) {
    try {
      offers.push(readOffer(item, purse));
    } catch (error) {
      if (!(error instanceof OfferRefusedError)) throw error;
      refusal ??= error;
    }
  }
  const [cheapest] = offers.sort((a, b) => Number(a.micros - b.micros));
  if (cheapest !== undefined) return payOffer(account, purse, target, cheapest, propertyOf(required, 'resource'));
  throw refusal ?? new OfferRefusedError('The server asks for a payment and accepts none');
}

async function payOffer(
  account: Account,
  purse: Purse,
  target: string,
  offer: Offer,
  resource: unknown,
): Promise<SignedPayment> {
  const { network, amount, micros, asset, payTo, seconds } = offer;
  const release = purse.reserve(micros);
  try {
    const validBefore = Math.floor(Date.now() / 1_000) + seconds;
    const nonce = randomNonce();
    const from = account.address as `0x${string}`;
    const message = { from, to: payTo, value: amount, validAfter: 0n, validBefore: BigInt(validBefore), nonce };
    const domain = { name: offer.name, version: offer.version, chainId: offer.chainId, verifyingContract: asset };
    const signature = await account.signTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message });
    const authorization = {
      from,
      to: payTo,
      value: String(amount),
      validAfter: '0',
      validBefore: String(validBefore),
      nonce,
    };
    const payload = { x402Version: 2, resource, accepted: offer.accepted, payload: { signature, authorization } };
    if (headerOf(payload).length > headerMax) {
      throw new OfferRefusedError("The server's offer is too long to be repeated");
    }
    const payment = new SignedPayment({ target, network, asset, micros, nonce, validBefore, payload });
    purse.open(payment);
    return payment;
  } catch (error) {
    release();
    throw error;
  }
}

/** Encodes a payment for its header. */
export function headerOf(payload: object): string {
  return encodeBase64(JSON.stringify(payload));
}

/** Reads `PaymentRequired` of a 402: from the header PAYMENT-REQUIRED, else from the body. */
export function requiredIn(header: string | null, body: string): unknown {
  try {
    return JSON.parse(header === null ? body : decodeBase64(header));
  } catch {
    throw new OfferRefusedError('The server asks for a payment that cannot be read');
  }
}

function acceptsOf(required: unknown): readonly unknown[] {
  if (propertyOf(required, 'x402Version') !== 2) {
    throw new OfferRefusedError('The server asks for a payment by a version of x402 that is not 2');
  }
  const accepts = propertyOf(required, 'accepts');
  if (!Array.isArray(accepts) || accepts.length > offersMax) {
    throw new OfferRefusedError('The server asks for a payment that cannot be read');
  }
  return accepts;
}

/** Reads an offer. Throws OfferRefusedError if it must not be signed. */
function readOffer(item: unknown, purse: Purse): Offer {
  const text = (name: string, form: RegExp): string => {
    const value = propertyOf(item, name);
    if (typeof value !== 'string' || !form.test(value)) throw unreadable();
    return value;
  };
  if (text('scheme', /^/) !== 'exact') {
    throw new OfferRefusedError('The server wants a payment by another scheme than "exact"');
  }
  const network = text('network', /^eip155:[1-9]\d{0,14}$/);
  const seconds = propertyOf(item, 'maxTimeoutSeconds');
  const extra = propertyOf(item, 'extra');
  const [name, version] = [propertyOf(extra, 'name'), propertyOf(extra, 'version')];
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1) throw unreadable();
  if (typeof name !== 'string' || typeof version !== 'string' || typeof item !== 'object' || item === null) {
    throw unreadable();
  }
  const token = text('asset', address) as `0x${string}`;
  const payTo = text('payTo', address) as `0x${string}`;
  const amount = BigInt(text('amount', /^(?:0|[1-9]\d{0,77})$/));
  const asset = purse.assetOf(network, token);
  if (asset.domain !== undefined && (asset.domain.name !== name || asset.domain.version !== version)) {
    throw new OfferRefusedError(
      `The server describes the token as ${JSON.stringify(`${name} ${version}`.slice(0, 80))}; it is ${asset.domain.name} ${asset.domain.version}`,
    );
  }
  if (seconds > purse.signatureSecondsMax) {
    throw new OfferRefusedError(
      `The server wants a signature that is good for ${seconds} s; ${purse.signatureSecondsMax} s are allowed`,
    );
  }
  return {
    network,
    chainId: Number(network.slice('eip155:'.length)),
    amount,
    micros: worthOf(amount, asset),
    asset: token,
    payTo,
    seconds,
    name,
    version,
    accepted: item,
  };
}

const address = /^0x(?!0{40}$)[0-9a-fA-F]{40}$/;

function unreadable(): OfferRefusedError {
  return new OfferRefusedError("The server's offer of a payment cannot be read");
}

/** Returns a property of a value that may not be an object. */
export function propertyOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
}

function randomNonce(): `0x${string}` {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function encodeBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
}
