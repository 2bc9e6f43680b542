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
