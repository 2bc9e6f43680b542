import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Caller } from '../access/keys.ts';
import type { Session } from '../account/ports.ts';

/** What names a request in every line of the log. */
export interface RequestNames {
  readonly requestId: string;
  readonly traceId?: string;
}

/** What middlewares leave for those after them. */
export class State {
  readonly names: RequestNames;
  /** Its lines name the request. */
  readonly log: Logger;
  /** Set by the key middleware: whoever comes after it may rely on it. Behind `visitor`, only where somebody is signed in. */
  caller?: Caller;
  /** What the request costs; undefined where it costs nothing. 0: what it costs was paid by an earlier one. */
  cost?: number;
  /** Set by the session middleware. */
  session?: Session;
  /** Made for whoever asks first, and shared. */
  clientAborted?: AbortSignal;
  /** Frees the request's slot in its process. */
  releaseSlot?: () => void;
  /** Frees, before its work is over, the slot of the engine that it does not need any more. */
  releaseEngineSlot?: () => void;
  /** Set where the body is memory that other answers share. */
  sharedBody?: true;
  /** The tool that was called, and what came of it, once it is over: `answered`, or the code of the error. */
  tool?: { readonly name: string; readonly outcome?: string };
  /** Text that the log may keep only when the settings allow it. */
  queryText?: string;

  /** @param log of the process */
  constructor(names: RequestNames, log: Logger) {
    this.names = names;
    this.log = log.child(names);
  }

  get requestId(): string {
    return this.names.requestId;
  }
}

export type Middleware = Koa.Middleware<State, object>;
export type Context = Koa.ParameterizedContext<State, object>;
