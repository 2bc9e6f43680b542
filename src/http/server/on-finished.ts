import type { Context } from '../context.ts';

/** Calls back once the answer has left or the client has aborted; at once where that is so already. */
export function onFinished({ res }: Pick<Context, 'res'>, callback: () => void): void {
  if (res.closed || res.destroyed) callback();
  else res.once('close', callback);
}

/** A signal that is aborted when the client goes before the answer has left: nobody would read it. */
export function clientAborted({ state, res }: Context): AbortSignal {
  if (state.clientAborted !== undefined) return state.clientAborted;
  const controller = new AbortController();
  onFinished({ res }, () => {
    if (!res.writableFinished) controller.abort();
  });
  state.clientAborted = controller.signal;
  return controller.signal;
}

/** Error codes of a socket that the other side has closed. */
const disconnectCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Whether an answer could not be sent only because its client disconnected, which is no failure of ours. */
export function isClientDisconnect(error: unknown, { req }: { readonly req: Context['req'] }): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return req.socket.destroyed && disconnectCodes.has(code);
}
