import { causeText } from '../../lib/log.ts';
import type { Context, Middleware } from '../context.ts';
import { type ApiError, errorBody, SearchFailed, ServiceUnavailable, toApiError } from '../errors/errors.ts';
import { answerJson } from '../response/json.ts';

/** Answers with the error for anything thrown, and logs the details that the caller must not see. */
export const handleErrors: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (thrown) {
    const error = toApiError(thrown);
    reportError(ctx, error);
    ctx.status = error.reply.status;
    if (error.reply.headers !== undefined) ctx.set({ ...error.reply.headers });
    answerJson(ctx, errorBody(error));
  }
};

/** Logs the details of an error. A search that ended because its caller left has not failed. */
export function reportError({ state }: Context, error: ApiError): void {
  if (error instanceof SearchFailed && state.clientAborted?.aborted) return;
  if (error.reply.code === 'internal_error') state.log.error({ err: error.cause }, 'internal error');
  else if (error instanceof SearchFailed)
    state.log.error({ reason: error.reason, cause: causeText(error.cause) }, 'search failed');
  else if (error instanceof ServiceUnavailable) {
    const message = error.system === 'chain' ? 'the chain is unavailable' : 'postgres unavailable';
    state.log.error({ cause: causeText(error.cause) }, message);
  }
}
