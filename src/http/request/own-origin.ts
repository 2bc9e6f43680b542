import type { Context } from '../context.ts';

/** This machine, as a request may name it, with or without a port. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** The origin that a request to this machine's own address names; null for every other name, which anyone may send. */
export function loopbackOrigin(ctx: Pick<Context, 'host' | 'protocol'>): string | null {
  return loopback.test(ctx.host) ? `${ctx.protocol}://${ctx.host.toLowerCase()}` : null;
}
