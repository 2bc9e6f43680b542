import { canWriteSignInMessage, type SignInPlace } from '../../../account/sign-in-message.ts';
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

/** Returns the place of wallets. Throws if wallets cannot sign in. */
export function walletPlace(ctx: Context, config: ConsoleConfig): SignInPlace {
  const { wallets, reason } = signInWays(ctx, config);
  return { origin: originFor(ctx, config, wallets, reason), chainId: config.chainId };
}

/** Returns the place of passkeys: their domain and the origin of the pages. Throws if passkeys cannot sign in. */
export function passkeyPlace(
  ctx: Context,
  config: ConsoleConfig,
): { readonly origin: string; readonly domain: string } {
  const { passkeys, reason } = signInWays(ctx, config);
  const origin = originFor(ctx, config, passkeys, reason);
  return { origin, domain: new URL(origin).hostname };
}

function originFor(ctx: Context, config: ConsoleConfig, possible: boolean, reason: string | null): string {
  const origin = consoleOrigin(ctx, config);
  if (origin === null) throw new ForeignOrigin(null);
  if (!possible) throw new SignInUnavailable(reason ?? addressUnknown);
  return origin;
}
