import type { Context } from '../state.ts';
import { whenOver } from './on-finished.ts';

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

/** What a socket's errors are called when the other side has closed it. */
const leavingCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Whether an answer could not be sent only because its caller has left, which is no failure of ours. */
export function callerHasLeft(error: unknown, { req }: { readonly req: Context['req'] }): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return req.socket.destroyed && leavingCodes.has(code);
}
