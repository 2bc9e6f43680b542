import type { NewSession, Refusal, Session } from '../../account/ports.ts';
import { hashToken, isToken, newToken } from '../../account/tokens.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import { plainText } from '../../lib/parameter-schemas.ts';
import type { Context } from '../context.ts';
import { SignInFailed } from '../errors/account-errors.ts';
import { consoleOrigin } from './console.ts';

/** `session`: who is signed in. `browser`: which browser a challenge was given to. Each holds a random token. */
type CookieName = 'session' | 'browser';

function isSecure(ctx: Context, config: ConsoleConfig): boolean {
  return consoleOrigin(ctx, config)?.startsWith('https:') ?? false;
}

/** The prefix `__Host-` makes browsers accept the cookie only over https and from this exact host (RFC 6265bis). */
function cookieName(name: CookieName, secure: boolean): string {
  return `${secure ? '__Host-' : ''}entity_search_${name}`;
}

/** Returns a token that the browser sent; null if there is none of our form. */
export function readCookie(ctx: Context, config: ConsoleConfig, name: CookieName): string | null {
  const token = ctx.cookies.get(cookieName(name, isSecure(ctx, config)));
  return token !== undefined && isToken(token) ? token : null;
}

/** @param token null to remove the cookie */
function setCookie(ctx: Context, config: ConsoleConfig, name: CookieName, token: string | null, maxAge = 0): void {
  const secure = isSecure(ctx, config);
  // Behind a proxy that ends TLS, the connection that we see is not the one that the cookie travels on.
  ctx.cookies.secure = secure;
  const attributes = { httpOnly: true, sameSite: 'strict', secure, path: '/', overwrite: true } as const;
  ctx.cookies.set(cookieName(name, secure), token, token === null ? attributes : { ...attributes, maxAge });
}

/** Returns the SHA-256 of the token of a browser that requests a challenge. Sets a token if it has none. */
export function markBrowser(ctx: Context, config: ConsoleConfig): Buffer {
  const token = readCookie(ctx, config, 'browser') ?? newToken();
  setCookie(ctx, config, 'browser', token, config.challenges.validMs);
  return hashToken(token);
}

/** Returns the same for a browser that has a challenge. Throws `SignInFailed` if it has no token. */
export function browserOf(ctx: Context, config: ConsoleConfig): Buffer {
  const token = readCookie(ctx, config, 'browser');
  if (token === null) throw new SignInFailed();
  return hashToken(token);
}

const userAgentMax = 300;

/** Begins a session in this browser with a fresh token, so that a token planted by an attacker is useless. */
export async function beginSession(
  ctx: Context,
  config: ConsoleConfig,
  begin: (session: NewSession) => Promise<Session | Refusal>,
): Promise<Session | Refusal> {
  const token = newToken();
  const before = readCookie(ctx, config, 'session');
  const session = await begin({
    hash: hashToken(token),
    replaces: before === null ? null : hashToken(before),
    ip: ctx.ip,
    userAgent: plainText(ctx.get('User-Agent').slice(0, userAgentMax)),
  });
  if (typeof session === 'string') return session;
  setCookie(ctx, config, 'session', token, config.sessions.absoluteMs);
  setCookie(ctx, config, 'browser', null);
  return session;
}

export function forgetSession(ctx: Context, config: ConsoleConfig): void {
  setCookie(ctx, config, 'session', null);
  setCookie(ctx, config, 'browser', null);
}
