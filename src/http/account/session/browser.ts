import type { NewSession } from '../../../account/ports.ts';
import { hashToken, newToken } from '../../../account/tokens.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import { plainText } from '../../../lib/parameter-schemas.ts';
import type { Context } from '../../context.ts';
import { SignInFailed } from '../../errors/account-errors.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';

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
