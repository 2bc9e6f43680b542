import cors from '@koa/cors';
import type Koa from 'koa';
import helmet from 'koa-helmet';
import { paidSearchPath } from '../../payments/protocol/terms.ts';
import type { Middleware } from '../context.ts';
import { isForOwnOrigin } from '../pages/page-routes.ts';
import { quotaHeaderNames } from '../response/quota-headers.ts';

/** Headers that a page of another origin may read. */
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

const mcpHeaders = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id', 'Last-Event-ID'];

/** Browsers send no credentials on their own, because keys are in a header. */
const keyedCors: cors.Options = {
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'X-Request-Id', 'If-None-Match', ...mcpHeaders],
  exposeHeaders: exposedHeaders,
  maxAge: preflightSeconds,
  keepHeadersOnError: false,
};

/**
 * Pages of any origin may call the paid search: the payment is the only authentication, and a page needs its user's
 * wallet for it. Official clients send Access-Control-Expose-Headers with the payment.
 */
const paidCors: cors.Options = {
  allowMethods: ['GET'],
  allowHeaders: ['PAYMENT-SIGNATURE', 'Access-Control-Expose-Headers', 'Content-Type', 'X-Request-Id'],
  exposeHeaders: [...exposedHeaders, 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Payment-Replayed'],
  maxAge: preflightSeconds,
  keepHeadersOnError: false,
};

/**
 * Security headers of answers that other origins may read. Nothing in them may be run or framed.
 */
const commonSecurity = {
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  // The same as frame-ancestors, for older browsers.
  xFrameOptions: { action: 'deny' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
  },
} as const;

/** Security headers of the pages and the account, which pages of other origins must not read. */
const ownOriginSecurity = {
  ...commonSecurity,
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'same-origin' },
} as const;

/**
 * Sets the headers of every answer, errors included, and those for pages of other origins.
 * @param origins origins whose pages may call the API; `*` allows all
 */
export function commonHeaders(origins: readonly string[]): Middleware {
  const common = overBoth(commonSecurity);
  const ownOrigin = overBoth(ownOriginSecurity);
  const keyed = cors({ ...keyedCors, origin: origins.includes('*') ? '*' : allowed(new Set(origins)) });
  const paid = cors({ ...paidCors, origin: '*' });
  return (ctx, next) => {
    ctx.vary('Accept-Encoding');
    const goOn = () => {
      // By default, answers must not be cached. Endpoints may override this.
      ctx.set('Cache-Control', 'no-store');
      return next();
    };
    if (isForOwnOrigin(ctx.path)) return (ctx.secure ? ownOrigin.https : ownOrigin.http)(ctx, goOn);
    const crossOrigin = ctx.path === paidSearchPath ? paid : keyed;
    return (ctx.secure ? common.https : common.http)(ctx, () => crossOrigin(ctx, goOn));
  };
}

/** Returns the headers for https and for http. RFC 6797 allows Strict-Transport-Security only over https. */
function overBoth(settings: typeof commonSecurity | typeof ownOriginSecurity) {
  return { https: helmet(settings), http: helmet({ ...settings, strictTransportSecurity: false }) };
}

function allowed(origins: ReadonlySet<string>) {
  return (ctx: Koa.Context): string => (origins.has(ctx.get('Origin')) ? ctx.get('Origin') : '');
}
