import type { Context } from './state.ts';

/** Aborted when the request is over: where that is before the answer is there, its caller has gone and nobody would read it. */
export function goneSignal({ state, res }: Context): AbortSignal {
  if (state.gone !== undefined) return state.gone;
  const controller = new AbortController();
  if (res.closed) controller.abort();
  else res.once('close', () => controller.abort());
  state.gone = controller.signal;
  return controller.signal;
}
