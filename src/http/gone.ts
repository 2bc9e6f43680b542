import type { Context } from './state.ts';

/** Aborted when the caller goes away before the answer is there: nobody would read it. */
export function goneSignal(ctx: Context): AbortSignal {
  const controller = new AbortController();
  ctx.res.once('close', () => controller.abort());
  return controller.signal;
}
