import type { Context } from '../context.ts';

/** Names of this machine in a Host header, with or without a port. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Allowed protocols. Behind a proxy, callers can send any value. */
const protocols = ['http', 'https'];

/**
 * Returns the origin of a request to a loopback name, in the form of browsers. Returns null for other names, which any
 * caller can send, and for invalid ports.
 */
export function loopbackOrigin({ host, protocol }: Pick<Context, 'host' | 'protocol'>): string | null {
  if (!loopback.test(host) || !protocols.includes(protocol)) return null;
  return URL.parse(`${protocol}://${host}`)?.origin ?? null;
}

/**
 * Returns the address of the service without a slash at its end. Without a configured address, it is the `Host` if that
 * is a loopback name, otherwise the local address of the connection.
 */
export function ownBaseUrl(ctx: Pick<Context, 'host' | 'protocol' | 'req'>, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  if (loopbackOrigin(ctx) !== null) return `${ctx.protocol}://${ctx.host}`;
  const protocol = protocols.includes(ctx.protocol) ? ctx.protocol : 'http';
  const { localAddress = '127.0.0.1', localPort = 80 } = ctx.req.socket;
  // Dual-stack sockets report IPv4 addresses in the form of IPv6, and link-local addresses with a zone.
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
