import type { Context } from '../context.ts';

/** Calls back when the answer has left or the client has aborted, or at once if that has happened. */
export function onFinished({ res }: Pick<Context, 'res'>, callback: () => void): void {
  if (res.closed || res.destroyed) callback();
  else res.once('close', callback);
}

/** Returns a signal that is aborted when the client leaves before the answer was sent. */
export function clientAborted({ state, res }: Context): AbortSignal {
  if (state.clientAborted !== undefined) return state.clientAborted;
  const controller = new AbortController();
  onFinished({ res }, () => {
    if (!res.writableFinished) controller.abort();
  });
  state.clientAborted = controller.signal;
  return controller.signal;
}

/** Error codes of a socket that the client has closed. */
const disconnectCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Returns true if an answer could not be sent because its client disconnected. */
export function isClientDisconnect(error: unknown, { req }: { readonly req: Context['req'] }): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return req.socket.destroyed && disconnectCodes.has(code);
}
