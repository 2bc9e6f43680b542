import type { ConsoleConfig } from '../../config/console.ts';
import type { Deps } from '../../ports.ts';

// Endpoints of the account have routes only where the console is on; then both of these are there.

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
