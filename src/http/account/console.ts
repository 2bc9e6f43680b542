import type { ConsoleConfig } from '../../config/console.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { loopbackOrigin } from '../request/own-origin.ts';

/** Returns the settings and stores of the account pages, whose routes exist only if the console is on. */
export function consoleParts({ config: { console: config }, account }: Pick<Deps, 'config' | 'account'>): {
  readonly config: ConsoleConfig;
  readonly account: NonNullable<Deps['account']>;
} {
  if (config === null || account === null)
    throw new Error('An endpoint of the account has a route without the console.');
  return { config, account };
}

/**
 * Returns the configured origin of the pages. Without one, only this machine's own addresses are served, and null is
 * returned for others, because a request may name any host. A foreign page whose name leads here thus gets no session.
 */
export function consoleOrigin(ctx: Pick<Context, 'host' | 'protocol'>, { origin }: ConsoleConfig): string | null {
  return origin ?? loopbackOrigin(ctx);
}
