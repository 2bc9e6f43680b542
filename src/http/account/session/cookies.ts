import { isToken } from '../../../account/tokens.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import type { Context } from '../../context.ts';
import { consoleOrigin } from '../console-origin.ts';

/** `session`: who is signed in. `browser`: which browser a challenge was given to. Each holds a random token. */
export type CookieName = 'session' | 'browser';

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
export function setCookie(
  ctx: Context,
  config: ConsoleConfig,
  name: CookieName,
  token: string,
  maxAgeMs: number,
): void {
  ctx.cookies.set(cookieName(name, isSecure(ctx, config)), token, { ...attributes(ctx, config), maxAge: maxAgeMs });
}

/** Takes a cookie back: the browser forgets it at once. */
export function clearCookie(ctx: Context, config: ConsoleConfig, name: CookieName): void {
  ctx.cookies.set(cookieName(name, isSecure(ctx, config)), null, attributes(ctx, config));
}

function attributes(ctx: Context, config: ConsoleConfig) {
  const secure = isSecure(ctx, config);
  // Behind a proxy that ends TLS, the connection that we see is not the one that the cookie travels on.
  ctx.cookies.secure = secure;
  return { httpOnly: true, sameSite: 'strict', secure, path: '/', overwrite: true } as const;
}
