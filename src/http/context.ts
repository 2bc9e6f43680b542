import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Caller } from '../access/keys.ts';
import type { Session } from '../account/ports.ts';
import { lazily } from '../lib/lazily.ts';
import type { CallerClass } from './caller-classes.ts';
import type { Packed } from './response/content-coding.ts';

/** The state of a request, which middlewares set for later ones. */
export class State {
  readonly requestId: string;
  readonly #log: () => Logger;
  /** Set by the key middleware, and by `visitor` if the visitor is signed in. */
  caller?: Caller;
  /** The cost of the request in calls; undefined if it is free, 0 if an earlier request paid for it. */
  cost?: number;
  /** Set by the session middleware. */
  session?: Session;
  /** Set by the gates that identify the caller. */
  callerClass: CallerClass = 'visitor';
  /** Returns the body, or throws its error. Set by the gate `body`. */
  body?: () => unknown;
  /** Created at its first use. */
  clientAborted?: AbortSignal;
  /** Frees the request's slot in its process. */
  releaseSlot?: () => void;
  /** Frees the engine's slot before the request ends. */
  releaseEngineSlot?: () => void;
  /** Returns the compressed body, whose memory other answers share; undefined for a body of this answer alone. */
  packed?: (coding: Packed) => Promise<Buffer>;
  /** The called tool and, once it has ended, its outcome: `answered` or the code of the error. */
  tool?: { readonly name: string; readonly outcome?: string };
  /** The search text, which is logged only with LOG_QUERIES. */
  queryText?: string;

  /** @param log of the process */
  constructor(requestId: string, log: Logger) {
    this.requestId = requestId;
    this.#log = lazily(() => log.child({ requestId }));
  }

  /** A log whose lines have the request's id. Few requests need it. */
  get log(): Logger {
    return this.#log();
  }
}

export type Middleware = Koa.Middleware<State, object>;
export type Context = Koa.ParameterizedContext<State, object>;
