import { IncomingMessage, ServerResponse } from 'node:http';
import cors from '@koa/cors';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { paidSearchPath } from '../../payments/protocol/required.ts';
import type { Context, Middleware, State } from '../context.ts';
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

/** Keys travel in a header, so there are no credentials to guard. */
const keyedCors: cors.Options = {
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'X-Request-Id', 'If-None-Match'],
  exposeHeaders: exposedHeaders,
  maxAge: preflightSeconds,
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

/** Whether it is or not, an answer depends on what the caller can unpack. */
const packedAsAsked: Middleware = (ctx, next) => {
  ctx.vary('Accept-Encoding');
  return next();
};

/** Nothing that depends on a key or on the moment may be kept by anyone on the way; endpoints may say otherwise. */
const notStored: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
};

/**
 * The headers that every answer has, errors included, and those for pages of other origins. What libraries set is the
 * same for each request of a sort, so they are asked once, at the start, and only preflights are theirs each time.
 */
export function commonHeaders(origins: readonly string[]): Middleware {
  const secure = headersOf(packedAsAsked, helmet(commonSecurity));
  const plain = headersOf(packedAsAsked, helmet({ ...commonSecurity, strictTransportSecurity: false }));
  const keyed = crossOrigin(origins, keyedCors);
  const paid = crossOrigin(['*'], paidCors);
  return (ctx, next) => {
    setAll(ctx, ctx.secure ? secure : plain);
    const { preflight, headersFor } = ctx.path === paidSearchPath ? paid : keyed;
    if (ctx.method === 'OPTIONS') return preflight(ctx, () => notStored(ctx, next));
    setAll(ctx, headersFor(ctx.get('Origin')));
    return next();
  };
}

type Headers = readonly (readonly [name: string, value: string])[];

interface CrossOrigin {
  /** Answers preflights, and lets other OPTIONS requests through. */
  readonly preflight: Middleware;
  /** For all other methods. */
  readonly headersFor: (origin: string) => Headers;
}

/** @param origins whose pages may call; `*` means any */
function crossOrigin(origins: readonly string[], options: cors.Options): CrossOrigin {
  const fixed = (origin: string) =>
    headersOf(packedAsAsked, cors({ ...options, origin: origin === '' ? () => '' : origin }), notStored);
  if (origins.includes('*')) {
    const any = fixed('*');
    return { preflight: cors({ ...options, origin: '*' }), headersFor: () => any };
  }
  const allowed = new Map(origins.map((origin) => [origin, fixed(origin)]));
  const others = fixed('');
  const preflight = cors({
    ...options,
    origin: (ctx) => (allowed.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
  });
  return { preflight, headersFor: (origin) => allowed.get(origin) ?? others };
}

/** What middlewares set on an answer before anything is behind them, whatever the request. */
function headersOf(...middlewares: readonly Middleware[]): Headers {
  // Its types want a socket, and there is none behind this one.
  const request: IncomingMessage = Reflect.construct(IncomingMessage, []);
  request.method = 'GET';
  const response = new NotedResponse(request);
  const ctx = new Koa<State, object>().createContext<State>(request, response);
  for (const middleware of middlewares) void middleware(ctx, async () => undefined);
  return [...response.noted.values()];
}

/** Remembers how headers are spelt. */
class NotedResponse extends ServerResponse {
  readonly noted = new Map<string, readonly [name: string, value: string]>();

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.noted.set(name.toLowerCase(), [name, String(value)]);
    return super.setHeader(name, value);
  }
}

function setAll({ res }: Context, headers: Headers): void {
  for (const [name, value] of headers) res.setHeader(name, value);
}
