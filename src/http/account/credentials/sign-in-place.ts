import { canWriteSignInMessage } from '../../../account/sign-in-message.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import type { Context } from '../../context.ts';
import { addressUnknown, ForeignOrigin, SignInUnavailable } from '../../errors/account-errors.ts';
import { consoleOrigin } from '../console.ts';

/** Ways to sign in at the address that a browser has opened. */
export interface SignInWays {
  readonly wallets: boolean;
  readonly passkeys: boolean;
  /** The reason why a way does not work, with its solution; null if both work. */
  readonly reason: string | null;
}

/** Returns the ways to sign in at the address that the browser has opened. */
export function signInWays(ctx: Context, config: ConsoleConfig): SignInWays {
  const origin = consoleOrigin(ctx, config);
  return origin === null ? { wallets: false, passkeys: false, reason: addressUnknown } : waysAt(new URL(origin));
}

/** An IPv4 address, or an IPv6 address as URLs write it. */
const ipAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/;

/**
 * Returns the ways at an origin. Passkeys need a domain and a page that cannot be changed in transit; wallets name the
 * origin in their message.
 */
export function waysAt({ origin, protocol, hostname, port }: URL): SignInWays {
  const wallets = canWriteSignInMessage(origin);
  if (ipAddress.test(hostname)) {
    const what = wallets ? 'passkeys need' : 'signing in needs';
    const reason = isLoopback(hostname)
      ? `Open this page at ${protocol}//localhost${port === '' ? '' : `:${port}`}/: ${what} a name in place of an IP address.`
      : `At an IP address, ${what} a domain name: the operator sets PUBLIC_URL to an address with one.`;
    return { wallets, passkeys: false, reason };
  }
  const passkeys = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return { wallets, passkeys, reason: missingOf(wallets, passkeys) };
}

function missingOf(wallets: boolean, passkeys: boolean): string | null {
  if (wallets && passkeys) return null;
  if (wallets) return 'Passkeys need https: the operator changes PUBLIC_URL.';
  if (passkeys) return 'Wallets need a full domain name: the operator changes PUBLIC_URL.';
  return 'Signing in needs https and a full domain name: the operator changes PUBLIC_URL.';
}

function isLoopback(hostname: string): boolean {
  return hostname.startsWith('127.') || hostname === '[::1]';
}

/** Returns the place of wallets or passkeys: the origin of the pages, its domain, and the chain. Throws if there is none. */
export function signInPlace(ctx: Context, config: ConsoleConfig, way: 'wallets' | 'passkeys') {
  const origin = consoleOrigin(ctx, config);
  if (origin === null) throw new ForeignOrigin(null);
  const ways = waysAt(new URL(origin));
  if (!ways[way]) throw new SignInUnavailable(ways.reason ?? addressUnknown);
  return { origin, domain: new URL(origin).hostname, chainId: config.chainId };
}
