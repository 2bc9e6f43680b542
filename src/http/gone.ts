import { whenOver } from './over.ts';
import type { Context } from './state.ts';

/** One for all: an abort makes an error of its own where it is given none, stack and all, for each request. */
const over = new DOMException('The caller has gone.', 'AbortError');

/** Aborted when the caller goes before the answer has left: nobody would read it. */
export function goneSignal(ctx: Context): AbortSignal {
  const { state, res } = ctx;
  if (state.gone !== undefined) return state.gone;
  const controller = new AbortController();
  whenOver(ctx, () => {
    if (!res.writableFinished) controller.abort(over);
  });
  state.gone = controller.signal;
  return controller.signal;
}
