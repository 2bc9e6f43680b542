import type { Context } from '../context.ts';

/** This machine, as a request may name it, with or without a port. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Behind a proxy a request may say what it likes here. */
const protocols = ['http', 'https'];

/**
 * The origin that a request to this machine's own address names, as browsers write it; null for every other name, which
 * anyone may send, and for what no address of the web has, such as the port 99999.
 */
export function loopbackOrigin({ host, protocol }: Pick<Context, 'host' | 'protocol'>): string | null {
  if (!loopback.test(host) || !protocols.includes(protocol)) return null;
  return URL.parse(`${protocol}://${host}`)?.origin ?? null;
}

/**
 * The address under which callers reach us, without a slash at its end: the configured one. Without one, what the request
 * says is repeated only where it names this machine; for any other name it is the address that was connected to.
 */
export function ownBaseUrl(ctx: Pick<Context, 'host' | 'protocol' | 'req'>, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  if (loopbackOrigin(ctx) !== null) return `${ctx.protocol}://${ctx.host}`;
  const protocol = protocols.includes(ctx.protocol) ? ctx.protocol : 'http';
  const { localAddress = '127.0.0.1', localPort = 80 } = ctx.req.socket;
  // A socket that takes both families shows IPv4 addresses in the form of IPv6, and one of the link the link's name.
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
