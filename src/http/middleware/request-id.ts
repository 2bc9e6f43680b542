import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { parseAddress } from '../../lib/client-address.ts';
import { type Middleware, State } from '../context.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Gives every request an id: the caller's `X-Request-Id` if it is a UUID, otherwise a new one. Gives each client's
 * address its one spelling. If a proxy sends no address, it is the proxy's.
 */
export function requestId(log: Logger): Middleware {
  return (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    const id = uuid.test(given) ? given.toLowerCase() : randomUUID();
    ctx.state = new State(id, log);
    ctx.request.ip = parseAddress(ctx.ip) ?? parseAddress(ctx.req.socket.remoteAddress ?? '') ?? '';
    ctx.res.setHeader('X-Request-Id', id);
    return next();
  };
}
