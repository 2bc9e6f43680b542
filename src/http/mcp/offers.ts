import type { Deps } from '../../ports.ts';
import type { Offers } from '../errors/mcp-errors.ts';

/** Returns the ways to use this installation without an existing key. */
export function offersOf({ config, paidSearch }: Pick<Deps, 'config' | 'paidSearch'>): Offers {
  return { accountPage: config.console !== null, sold: paidSearch !== null };
}
