import type { ConsoleConfig } from '../../config/console.ts';
import type { Context } from '../context.ts';
import { loopbackOrigin } from '../request/own-origin.ts';

/**
 * The origin of the pages: the configured one. Without one only this machine's own addresses are served, because a
 * request may name any other host; null then. A page of another name that is made to lead here gets no session.
 */
export function consoleOrigin(ctx: Pick<Context, 'host' | 'protocol'>, { origin }: ConsoleConfig): string | null {
  return origin ?? loopbackOrigin(ctx);
}
