import { isIPv4, isIPv6 } from 'node:net';
import { createRateLimiter, type RateDecision, type RateLimits } from './rate-limiter.ts';

const textMax = 64;
const port = /:\d{1,5}$/;
/** IPv6 in brackets, with an optional port. */
const bracketed = /^\[(.*)\](?::\d{1,5})?$/;
/** The prefix of an IPv4 address written as IPv6. */
const mapped = /^0:0:0:0:0:ffff:([\da-f]+):([\da-f]+)$/;

/**
 * Returns the address in an entry of a proxy's header, or null for other texts. Proxies append ports, write IPv6 in
 * brackets, with a zone or in capitals, and write IPv4 as IPv6. The result has one spelling per address, with all eight
 * groups of an IPv6 address.
 */
export function parseAddress(entry: string): string | null {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  if (text.length > textMax) return null;
  const [, inBrackets] = bracketed.exec(text) ?? [];
  const address = (inBrackets ?? text).toLowerCase().replace(/%.*$/, '');
  const withoutPort = inBrackets === undefined ? address.replace(port, '') : address;
  if (isIPv4(withoutPort)) return withoutPort;
  return isIPv6(address) ? fromIPv6(address) : null;
}

function fromIPv6(address: string): string {
  // An address in a URL has no leading zeros and no IPv4 at its end.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(8 - front.length - back.length).fill('0');
  const all = [...front, ...zeros, ...back].join(':');
  const [, high, low] = mapped.exec(all) ?? [];
  if (high === undefined || low === undefined) return all;
  const bytes = [high, low].map((group) => Number.parseInt(group, 16)).flatMap((pair) => [pair >> 8, pair & 0xff]);
  return bytes.join('.');
}

function groups(text: string): readonly string[] {
  return text === '' ? [] : text.split(':');
}

/**
 * Returns the unit that counts as one client: an IPv4 address, or an IPv6 network. A customer usually owns 64 bits.
 * @param address from `parseAddress`
 */
export function clientNetwork(address: string, bits: 64 | 48 = 64): string {
  return address
    .split(':')
    .slice(0, bits / 16)
    .join(':');
}

/** Number of remembered networks. */
const networksMax = 10_000;
/**
 * An IPv6 network of 48 bits, which anyone can get from a provider, has this many times the limit of a 64-bit network.
 */
const wideFactor = 16;

/**
 * Creates a rate limiter for addresses.
 * @param togetherMax limit for all addresses together
 */
export function limitAddresses(
  { max, perMs, togetherMax }: Pick<RateLimits, 'max' | 'perMs'> & { readonly togetherMax?: number },
  elapsed: () => number,
): (address: string) => RateDecision {
  const limiter = (limit: number, keysMax: number) => createRateLimiter({ max: limit, perMs, keysMax }, elapsed);
  const narrow = limiter(max, networksMax);
  const wide = limiter(max * wideFactor, networksMax);
  const together = togetherMax === undefined ? null : limiter(togetherMax, 1);
  return (address) => {
    const taken = narrow.take(clientNetwork(address));
    if (!taken.ok) return taken;
    const takenWide = wide.take(clientNetwork(address, 48));
    return takenWide.ok && together !== null ? together.take('') : takenWide;
  };
}
