import type { Context } from '../state.ts';

type Step<Asked extends Context> = (ctx: Asked, next: () => Promise<void>) => Promise<void> | void;

/**
 * Middlewares as one, each the next one's way in. Put together once: given one by one to the router, it would do so
 * again for every request.
 */
export function inOrder<Asked extends Context>(...steps: readonly Step<Asked>[]): Step<Asked> {
  return steps.reduceRight((after, before) => (ctx, next) => before(ctx, async () => after(ctx, next)));
}
