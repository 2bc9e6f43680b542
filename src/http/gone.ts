import type { Context } from './state.ts';

/** One for all: an abort makes an error of its own where it is given none, stack and all, for each request. */
const over = new DOMException('The request is over.', 'AbortError');

/** Aborted when the request is over: where that is before the answer is there, its caller has gone and nobody would read it. */
export function goneSignal({ state, res }: Context): AbortSignal {
  if (state.gone !== undefined) return state.gone;
  const controller = new AbortController();
  if (res.closed) controller.abort(over);
  else res.once('close', () => controller.abort(over));
  state.gone = controller.signal;
  return controller.signal;
}
