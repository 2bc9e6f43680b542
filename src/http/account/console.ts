import type { Stored } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { loopbackOrigin } from '../request/own-origin.ts';

// Endpoints of the account have routes only where the console is on; then both settings and ports are there.

/** The settings of the console. Throws where it is off: its endpoints are not there then. */
export function consoleConfig({ config }: Pick<Deps, 'config'>): ConsoleConfig {
  if (config.console === null) throw new Error('an endpoint of the account has a route where the console is off');
  return config.console;
}

/** What the account page needs from outside. Throws where the console is off. */
export function accountPorts({ account }: Pick<Deps, 'account'>): NonNullable<Deps['account']> {
  if (account === null) throw new Error('an endpoint of the account has a route where there is no account page');
  return account;
}

/** What Postgres answered. Throws `ServiceUnavailable` where it could not. */
export function fromStore<Value>(stored: Stored<Value>): Value {
  if (!stored.ok) throw new ServiceUnavailable(stored.cause);
  return stored.value;
}

/**
 * The origin of the pages: the configured one. Without one only this machine's own addresses are served, because a
 * request may name any other host; null then. A page of another name that is made to lead here gets no session.
 */
export function consoleOrigin(ctx: Pick<Context, 'host' | 'protocol'>, { origin }: ConsoleConfig): string | null {
  return origin ?? loopbackOrigin(ctx);
}
