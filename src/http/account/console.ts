import type { Stored } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { loopbackOrigin } from '../request/own-origin.ts';

// Endpoints of the account have routes only if the console is on; settings and ports exist then.

/** Returns the settings of the console. Throws if it is off. */
export function consoleConfig({ config }: Pick<Deps, 'config'>): ConsoleConfig {
  if (config.console === null) throw new Error('an endpoint of the account has a route where the console is off');
  return config.console;
}

/** Returns the ports of the account pages. Throws if the console is off. */
export function accountPorts({ account }: Pick<Deps, 'account'>): NonNullable<Deps['account']> {
  if (account === null) throw new Error('an endpoint of the account has a route where there is no account page');
  return account;
}

/** Returns the value from Postgres. Throws `ServiceUnavailable` if there is none. */
export function fromStore<Value>(stored: Stored<Value>): Value {
  if (!stored.ok) throw new ServiceUnavailable(stored.cause);
  return stored.value;
}

/**
 * Returns the configured origin of the pages. Without one, only this machine's own addresses are served, and null is
 * returned for others, because a request may name any host. A foreign page whose name leads here thus gets no session.
 */
export function consoleOrigin(ctx: Pick<Context, 'host' | 'protocol'>, { origin }: ConsoleConfig): string | null {
  return origin ?? loopbackOrigin(ctx);
}
