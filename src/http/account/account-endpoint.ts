import type { z } from 'zod';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import type { Endpoint, EndpointContext } from '../endpoint.ts';
import { NotInAccount } from '../errors/account-errors.ts';
import { type AccountOperation, accountOperation, idParameter } from '../openapi/account-operation.ts';
import { exampleOf } from '../openapi/components.ts';
import { type ParameterTexts, queryParameters } from '../openapi/query-parameters.ts';
import { parseParameters } from '../request/parameters.ts';
import { readJson } from '../request/read-json.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';
import { consoleConfig } from './console.ts';

/** `data` and `message` of an answer. */
export type Reply = readonly [data: object, message: string];

/** The documentation of an endpoint, in addition to its schemas. */
interface Description extends Pick<AccountOperation, 'operationId' | 'tag' | 'summary' | 'description' | 'errors'> {
  /** Answers by title. */
  readonly examples?: Readonly<Record<string, Reply>>;
}

/** The `{id}` of a path: the kind of row that it names, and the parameter's description. */
interface PathId {
  readonly of: string;
  /** The list that holds the row, for the message of `NotInAccount`. */
  readonly where?: string;
  readonly text: string;
}

interface AccountRequest<Query, Body> {
  readonly ctx: Context;
  readonly query: Query;
  /** 0 for a path without `{id}`. */
  readonly id: number;
  readonly body: Body;
}

interface Definition<Query extends z.ZodObject, Body extends z.ZodType> extends Pick<Endpoint, 'gates'> {
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/account/api/`. */
  readonly path: string;
  /** Parameters of the query string. Without it, a query string is ignored. */
  readonly query?: Query;
  readonly texts?: ParameterTexts<Query>;
  readonly id?: PathId;
  readonly body?: Body;
  /** Schema of the answer, in accountComponents. */
  readonly answer: z.ZodType;
  readonly status?: 200 | 201;
  operation(): Description;
  handler(
    deps: Deps,
    config: ConsoleConfig,
  ): (request: AccountRequest<z.output<Query>, z.output<Body>>) => Promise<Reply>;
}

/** An endpoint of the account that answers JSON: it checks query, id and body, in this order, before its handler runs. */
export function accountEndpoint<Query extends z.ZodObject, Body extends z.ZodType>(
  definition: Definition<Query, Body>,
): Endpoint {
  const { method, path, gates, query, texts, id, body, answer, status = 200 } = definition;
  return {
    method,
    path: `/account/api/${path}`,
    gates,
    operation() {
      const { examples = {}, ...description } = definition.operation();
      const parameters = [
        ...(id === undefined ? [] : [idParameter('id', id.text)]),
        ...(query === undefined || texts === undefined ? [] : queryParameters(query, texts)),
      ];
      return accountOperation({
        ...description,
        gates,
        answer,
        status,
        ...(parameters.length === 0 ? {} : { parameters }),
        ...(body === undefined ? {} : { body }),
        examples: Object.fromEntries(Object.entries(examples).map(([title, reply]) => [title, exampleOf(...reply)])),
      });
    },
    handler(deps) {
      const config = consoleConfig(deps);
      const handle = definition.handler(deps, config);
      return async (ctx) => {
        const [data, message] = await handle({
          ctx,
          // Without a schema the type is that of any, which no handler reads.
          query: (query && parseParameters(query, ctx.querystring)) as z.output<Query>,
          id: id === undefined ? 0 : pathId(ctx, id),
          body: (body && (await readJson(ctx, body, config.bodyMaxBytes))) as z.output<Body>,
        });
        ctx.status = status;
        answerJson(ctx, envelope(data, message, ctx.state.requestId, deps.clock));
      };
    },
  };
}

/** Returns the id in the address. Throws `NotInAccount` for a text that cannot be an id. */
export function pathId(ctx: EndpointContext, { of, where }: Pick<PathId, 'of' | 'where'>): number {
  const { id = '' } = ctx.params;
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new NotInAccount(of, where);
  return Number(id);
}

/** Lets the browser keep the answer as a file instead of showing it. */
export function nameDownload(ctx: Context, fileName: string, mediaType: 'text/csv' | 'application/json'): void {
  ctx.set('Content-Disposition', `attachment; filename="${fileName}"`);
  ctx.set('Content-Type', `${mediaType}; charset=utf-8`);
}
