import type Koa from 'koa';
import type { Logger } from 'pino';
import type { KeyRecord } from '../deps.ts';

/** What middlewares leave for those after them. */
export interface State {
  requestId: string;
  /** What names the request in every line of the log. */
  names: { readonly requestId: string; readonly traceId?: string };
  /** Says so by itself. */
  readonly log: Logger;
  /** Set by the key middleware: whoever comes after it may rely on it. */
  caller?: KeyRecord;
  /** Made where somebody wants to know, once a request. */
  gone?: AbortSignal;
  /** Text that the log may keep only when the settings allow it. */
  queryText?: string;
}

export type Middleware = Koa.Middleware<State, object>;
export type Context = Koa.ParameterizedContext<State, object>;
