import { canWriteSignInMessage, type SignInPlace } from '../../../account/sign-in-message.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import type { Context } from '../../context.ts';
import { ForeignOrigin, SignInUnavailable } from '../../errors/account-errors.ts';
import { consoleOrigin } from '../console.ts';

/** What can be signed in with at the address that a browser has opened. */
export interface SignInWays {
  readonly wallets: boolean;
  readonly passkeys: boolean;
  /** What to do about what is missing; null where nothing is. */
  readonly reason: string | null;
}

const notOurs =
  'This address is not the one of the account page: its operator sets PUBLIC_URL to the address that browsers use.';

/** How one can sign in at the address that the browser has opened, and if not, why. */
export function signInWays(ctx: Context, config: ConsoleConfig): SignInWays {
  const origin = consoleOrigin(ctx, config);
  return origin === null ? { wallets: false, passkeys: false, reason: notOurs } : waysAt(new URL(origin));
}

/** An IPv4 address, or one of IPv6 as addresses of the web write it. */
const ipAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/;

/** Passkeys belong to a domain and need a page that nobody on the way could change; wallets name it in their message. */
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

/** Where wallets sign in. Throws where none can. */
export function walletPlace(ctx: Context, config: ConsoleConfig): SignInPlace {
  const { wallets, reason } = signInWays(ctx, config);
  return { origin: originFor(ctx, config, wallets, reason), chainId: config.chainId };
}

/** Where passkeys sign in: their domain and the origin of the pages. Throws where none can. */
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
  if (!possible) throw new SignInUnavailable(reason ?? notOurs);
  return origin;
}
