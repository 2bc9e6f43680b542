import type { Deps } from '../../ports.ts';
import type { Middleware } from '../state.ts';
import { counted } from './quota.ts';

/** Everything behind it costs one call, wrong parameters and what is not found included. Comes after the key. */
export function limited(deps: Pick<Deps, 'calls' | 'clock'>): Middleware {
  return (ctx, next) => counted(deps, ctx, 1, next);
}
