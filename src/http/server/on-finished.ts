import type { Context } from '../state.ts';

/**
 * Calls back once the answer has left or its caller has; at once where that is so already. Of an answer all share one
 * listener, of which Node finds it strange that there be many.
 */
export function whenOver({ state, res }: Context, callback: () => void): void {
  if (res.closed || res.destroyed) {
    callback();
    return;
  }
  if (state.endings === undefined) {
    const endings: (() => void)[] = [];
    state.endings = endings;
    res.once('close', () => {
      for (const ending of endings) ending();
    });
  }
  state.endings.push(callback);
}
