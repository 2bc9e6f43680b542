import cors from '@koa/cors';
import compress from 'koa-compress';
import helmet from 'koa-helmet';
import { allowanceHeaderNames } from '../allowance-headers.ts';
import type { Middleware } from '../state.ts';

/** What a page of another origin may read beside the body. */
const exposedHeaders = [
  'X-Request-Id',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
  'ETag',
  'X-Index-Lag',
  ...allowanceHeaderNames,
];
const preflightSeconds = 600;

/** Lets pages of the given origins call; `*` means any. Keys travel in a header, so there are no credentials to guard. */
export function crossOrigin(origins: readonly string[]): Middleware {
  const any = origins.includes('*');
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin');
      if (any) return '*';
      return origins.includes(origin) ? origin : '';
    },
    allowMethods: ['GET', 'HEAD', 'POST'],
    allowHeaders: ['Authorization', 'Content-Type', 'X-Request-Id', 'If-None-Match'],
    exposeHeaders: exposedHeaders,
    maxAge: preflightSeconds,
  });
}

/**
 * The paid search may be called from a page of any origin: the payment is the only authentication, and no page can make
 * one without its user's wallet. Official clients send Access-Control-Expose-Headers along with the payment.
 */
export function paidCrossOrigin(): Middleware {
  return cors({
    origin: '*',
    allowMethods: ['GET'],
    allowHeaders: ['PAYMENT-SIGNATURE', 'Access-Control-Expose-Headers', 'Content-Type', 'X-Request-Id'],
    exposeHeaders: [...exposedHeaders, 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Payment-Replayed'],
    maxAge: preflightSeconds,
  });
}

/** One middleware for a path, another for all others. */
export function onPath(path: string, there: Middleware, elsewhere: Middleware): Middleware {
  return (ctx, next) => (ctx.path === path ? there(ctx, next) : elsewhere(ctx, next));
}

/**
 * Security headers. Answers may be read by other origins, if the settings above let them; nothing in them is ever run or
 * framed. That this host is to be asked by https only is said over https only, as RFC 6797 has it: behind a proxy that
 * ends TLS, where TRUST_PROXY says so.
 */
export function securityHeaders(): Middleware {
  const common = {
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
    },
  } as const;
  const secure = helmet(common);
  const plain = helmet({ ...common, strictTransportSecurity: false });
  return (ctx, next) => (ctx.secure ? secure(ctx, next) : plain(ctx, next));
}

/** Shorter answers are sent as they are: packing them saves no packet. In bytes. */
const packedFrom = 1_400;

/** Packs answers with br or gzip, whichever the caller takes. */
export function compressed(): Middleware {
  return compress({ threshold: packedFrom, zstd: false, deflate: false });
}

/** Nothing that depends on a key or on the moment may be kept by anyone on the way; endpoints may say otherwise. */
export const notStored: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
};
