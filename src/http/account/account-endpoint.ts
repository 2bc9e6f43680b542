import { z } from 'zod';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import type { EndpointContext, Gate, Route } from '../endpoint.ts';
import { NotInAccount } from '../errors/account-errors.ts';
import { bodyOf } from '../middleware/bodies.ts';
import { parseParameters } from '../request/parameters.ts';
import { checkBody, objectOf } from '../request/read-json.ts';
import { answerJson, envelope } from '../response/json.ts';
import { consoleParts } from './console.ts';

/** `data` and `message` of an answer. */
export type Reply = readonly [data: object, message: string];

/** A request, with the parts of the process that answer it. */
export interface AccountContext {
  readonly ctx: Context;
  readonly deps: Deps;
  readonly config: ConsoleConfig;
  readonly account: NonNullable<Deps['account']>;
}

interface AccountRequest<Query, Body, Own> extends AccountContext {
  readonly query: Query;
  /** 0 for a path without `{id}`. */
  readonly id: number;
  readonly body: Body;
  /** The endpoint's own state. */
  readonly own: Own;
}

export interface AccountRoute extends Route {
  /** The schema of the answer's `data`; none for a file. Tests hold answers against it. */
  readonly answer?: z.ZodType;
}

interface Definition<Query extends z.ZodObject, Body extends z.ZodType, Own>
  extends Pick<AccountRoute, 'gates' | 'answer'> {
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/account/api/`. */
  readonly path: string;
  /** Parameters of the query string; none by default. */
  readonly query?: Query;
  /** The kind of row that the `{id}` of the path names, such as `key`. */
  readonly id?: string;
  readonly body?: Body;
  /** The status of the answer. Default 200. */
  readonly status?: 201;
  /** Creates the endpoint's state when the process starts. */
  own?(deps: Deps, config: ConsoleConfig): Own;
  /** Null after the handler has answered with a file. */
  handler(request: AccountRequest<z.output<Query>, z.output<Body>, Own>): Promise<Reply | null>;
}

const nothing = z.strictObject({});

/** An endpoint of the account. It checks query, id and body, in this order, before its handler runs. */
export function accountEndpoint<Query extends z.ZodObject, Body extends z.ZodType, Own = undefined>(
  definition: Definition<Query, Body, Own>,
): AccountRoute {
  const { method, path, query, id, body, answer, status = 200, own: createOwn, gates: given, handler } = definition;
  const gates: readonly Gate[] = body === undefined ? given : [...given, 'body'];
  return {
    method,
    path: `/account/api/${path}`,
    gates,
    ...(answer && { answer }),
    handler(deps) {
      const parts = consoleParts(deps);
      const own = createOwn?.(deps, parts.config) as Own;
      return async (ctx) => {
        const reply = await handler({
          ...parts,
          ctx,
          deps,
          own,
          // Without a schema the type is that of any, which no handler reads.
          query: parseParameters(query ?? nothing, ctx.querystring) as z.output<Query>,
          id: id === undefined ? 0 : pathId(ctx, id),
          body: (body && checkBody(body, objectOf(bodyOf(ctx)))) as z.output<Body>,
        });
        if (reply === null) return;
        ctx.status = status;
        answerJson(ctx, envelope(...reply, ctx.state.requestId, deps.clock));
      };
    },
  };
}

/** Returns the id in the address. Throws `NotInAccount` for a text that cannot be an id. */
function pathId(ctx: EndpointContext, of: string): number {
  const { id = '' } = ctx.params;
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new NotInAccount(of);
  return Number(id);
}

/** Answers with a file that the browser keeps instead of showing it. */
export function sendFile(
  ctx: Context,
  fileName: string,
  mediaType: 'text/csv' | 'text/calendar' | 'application/json',
  text: string,
): null {
  ctx.set('Content-Disposition', `attachment; filename="${fileName}"`);
  ctx.set('Content-Type', `${mediaType}; charset=utf-8`);
  ctx.body = text;
  return null;
}
