import cors from '@koa/cors';
import type Koa from 'koa';
import helmet from 'koa-helmet';
import { paidSearchPath } from '../../payments/protocol/terms.ts';
import type { Middleware } from '../context.ts';
import { isForOwnOrigin } from '../pages/own-origin-only.ts';
import { quotaHeaderNames } from '../response/quota-headers.ts';

/** What a page of another origin may read beside the body. */
const exposedHeaders = [
  'X-Request-Id',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
  'ETag',
  'X-Index-Lag',
  ...quotaHeaderNames,
];
const preflightSeconds = 600;

/** What MCP clients send. */
const mcpHeaders = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id', 'Last-Event-ID'];

/** Keys travel in a header, so there are no credentials to guard. */
const keyedCors: cors.Options = {
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'X-Request-Id', 'If-None-Match', ...mcpHeaders],
  exposeHeaders: exposedHeaders,
  maxAge: preflightSeconds,
  keepHeadersOnError: false,
};

/**
 * The paid search may be called from a page of any origin: the payment is the only authentication, and no page can make
 * one without its user's wallet. Official clients send Access-Control-Expose-Headers along with the payment.
 */
const paidCors: cors.Options = {
  allowMethods: ['GET'],
  allowHeaders: ['PAYMENT-SIGNATURE', 'Access-Control-Expose-Headers', 'Content-Type', 'X-Request-Id'],
  exposeHeaders: [...exposedHeaders, 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Payment-Replayed'],
  maxAge: preflightSeconds,
  keepHeadersOnError: false,
};

/**
 * Security headers. Answers may be read by other origins, if the settings above let them; nothing in them is ever run or
 * framed. That this host is to be asked by https only is said over https only, as RFC 6797 has it: behind a proxy that
 * ends TLS, where TRUST_PROXY says so.
 */
const commonSecurity = {
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  // The same as frame-ancestors says, for browsers that read only this.
  xFrameOptions: { action: 'deny' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
  },
} as const;

/** Of the pages and the account: no page of another origin gets to see them, nor a window that they open. */
const ownOriginSecurity = {
  ...commonSecurity,
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'same-origin' },
} as const;

/**
 * The headers that every answer has, errors included, and those for pages of other origins.
 * @param origins whose pages may call; `*` means any
 */
export function commonHeaders(origins: readonly string[]): Middleware {
  const common = overBoth(commonSecurity);
  const ownOrigin = overBoth(ownOriginSecurity);
  const keyed = cors({ ...keyedCors, origin: origins.includes('*') ? '*' : allowed(new Set(origins)) });
  const paid = cors({ ...paidCors, origin: '*' });
  return (ctx, next) => {
    ctx.vary('Accept-Encoding');
    const goOn = () => {
      // Nothing that depends on a key or on the moment may be cached on the way; endpoints may say otherwise.
      ctx.set('Cache-Control', 'no-store');
      return next();
    };
    if (isForOwnOrigin(ctx.path)) return (ctx.secure ? ownOrigin.https : ownOrigin.http)(ctx, goOn);
    const crossOrigin = ctx.path === paidSearchPath ? paid : keyed;
    return (ctx.secure ? common.https : common.http)(ctx, () => crossOrigin(ctx, goOn));
  };
}

/** That a host is to be asked by https only is said over https only. */
function overBoth(settings: typeof commonSecurity | typeof ownOriginSecurity) {
  return { https: helmet(settings), http: helmet({ ...settings, strictTransportSecurity: false }) };
}

function allowed(origins: ReadonlySet<string>) {
  return (ctx: Koa.Context): string => (origins.has(ctx.get('Origin')) ? ctx.get('Origin') : '');
}
