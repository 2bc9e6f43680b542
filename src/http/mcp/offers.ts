import type { Deps } from '../../ports.ts';
import type { Offers } from '../errors/mcp-errors.ts';

/** What this installation offers to those who have no key. */
export function offersOf({ config, paidSearch }: Pick<Deps, 'config' | 'paidSearch'>): Offers {
  return { accountPage: config.console !== null, sold: paidSearch !== null };
}
