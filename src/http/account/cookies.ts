import type { NewSession } from '../../account/ports.ts';
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

/** With the prefix `__Host-` browsers take it only over https, for this very host, and from nobody else (RFC 6265bis). */
function cookieName(name: CookieName, secure: boolean): string {
  return `${secure ? '__Host-' : ''}entity_search_${name}`;
}

/** A token that the browser has sent; null where there is none, or none that could be ours. */
export function readCookie(ctx: Context, config: ConsoleConfig, name: CookieName): string | null {
  const token = ctx.cookies.get(cookieName(name, isSecure(ctx, config)));
  return token !== undefined && isToken(token) ? token : null;
}

/** @param maxAgeMs how long the browser keeps it */
function setCookie(ctx: Context, config: ConsoleConfig, name: CookieName, token: string, maxAgeMs: number): void {
  ctx.cookies.set(cookieName(name, isSecure(ctx, config)), token, { ...attributes(ctx, config), maxAge: maxAgeMs });
}

/** Takes a cookie back: the browser forgets it at once. */
function clearCookie(ctx: Context, config: ConsoleConfig, name: CookieName): void {
  ctx.cookies.set(cookieName(name, isSecure(ctx, config)), null, attributes(ctx, config));
}

function attributes(ctx: Context, config: ConsoleConfig) {
  const secure = isSecure(ctx, config);
  // Behind a proxy that ends TLS, the connection that we see is not the one that the cookie travels on.
  ctx.cookies.secure = secure;
  return { httpOnly: true, sameSite: 'strict', secure, path: '/', overwrite: true } as const;
}

/** SHA-256 of the token of the browser that is to get a challenge; one that has none gets one. */
export function markBrowser(ctx: Context, config: ConsoleConfig): Buffer {
  const token = readCookie(ctx, config, 'browser') ?? newToken();
  setCookie(ctx, config, 'browser', token, config.challenges.validMs);
  return hashToken(token);
}

/** The same of a browser that was given a challenge. Throws `SignInFailed` where it was not. */
export function browserOf(ctx: Context, config: ConsoleConfig): Buffer {
  const token = readCookie(ctx, config, 'browser');
  if (token === null) throw new SignInFailed();
  return hashToken(token);
}

const ipMax = 64;
const userAgentMax = 300;

/** Where a request comes from, as it is kept: bounded, because a proxy or a caller may say what it likes. */
export function clientAddress(ctx: Context): string {
  return plainText(ctx.ip.slice(0, ipMax));
}

/** A session for this browser, with a token that nobody has seen: what somebody may have planted is of no use. */
export function draftSession(
  ctx: Context,
  config: ConsoleConfig,
): { readonly token: string; readonly session: NewSession } {
  const token = newToken();
  const before = readCookie(ctx, config, 'session');
  const session = {
    hash: hashToken(token),
    replaces: before === null ? null : hashToken(before),
    ip: clientAddress(ctx),
    userAgent: plainText(ctx.get('User-Agent').slice(0, userAgentMax)),
  };
  return { token, session };
}

/** Hands a session that has begun to the browser. */
export function giveSession(ctx: Context, config: ConsoleConfig, token: string): void {
  setCookie(ctx, config, 'session', token, config.sessions.absoluteMs);
  clearCookie(ctx, config, 'browser');
}

/** Makes the browser forget its session. */
export function forgetSession(ctx: Context, config: ConsoleConfig): void {
  clearCookie(ctx, config, 'session');
  clearCookie(ctx, config, 'browser');
}
