import { z } from 'zod';
import type { AccountData } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import type { Endpoint, EndpointContext, Gate, Operation } from '../endpoint.ts';
import { NotInAccount } from '../errors/account-errors.ts';
import { bodyOf } from '../middleware/bodies.ts';
import { type AccountTag, accountTagNames } from '../openapi/account-document.ts';
import { accountComponents, envelopeOf } from '../openapi/components.ts';
import { pascalCase } from '../openapi/name-schemas.ts';
import { jsonContent } from '../openapi/responses.ts';
import { type ParameterTexts, queryParameters, toSchema } from '../openapi/to-schema.ts';
import { parseParameters } from '../request/parameters.ts';
import { checkBody, objectOf } from '../request/read-json.ts';
import { answerJson, envelope } from '../response/json.ts';
import { consoleParts } from './console.ts';

/** `data` and `message` of an answer. */
export type Reply = readonly [data: object, message: string];

type Files = Readonly<Record<string, { readonly schema: Json }>>;

/** A request, with the parts of the process that answer it. */
export interface AccountContext {
  readonly ctx: Context;
  readonly deps: Deps;
  readonly config: ConsoleConfig;
  readonly account: AccountData;
}

interface AccountRequest<Query, Body, Own> extends AccountContext {
  readonly query: Query;
  /** 0 for a path without `{id}`. */
  readonly id: number;
  readonly body: Body;
  /** The endpoint's own state. */
  readonly own: Own;
}

interface Definition<Query extends z.ZodObject, Body extends z.ZodType, Own>
  extends Pick<Operation, 'summary' | 'description' | 'status'>,
    Pick<Endpoint, 'gates' | 'errors'> {
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/account/api/`. */
  readonly path: string;
  /** Parameters of the query string; none by default. */
  readonly query?: Query;
  readonly texts?: ParameterTexts<Query>;
  /** The kind of row that the `{id}` of the path names, such as `key`. */
  readonly id?: string;
  readonly body?: Body;
  /** Schema of the answer's `data`, or the schemas of a file by media type. */
  readonly answer: z.ZodType | Files;
  /** Creates the endpoint's state when the process starts. */
  own?(deps: Deps, config: ConsoleConfig): Own;
  /** Null after the handler has answered with a file. */
  handler(request: AccountRequest<z.output<Query>, z.output<Body>, Own>): Promise<Reply | null>;
}

const nothing = z.strictObject({});

/** An endpoint of the account. It checks query, id and body, in this order, before its handler runs. */
export function accountEndpoint<Query extends z.ZodObject, Body extends z.ZodType, Own = undefined>(
  definition: Definition<Query, Body, Own>,
): Endpoint {
  const {
    method,
    path,
    query,
    texts,
    id,
    body,
    answer,
    own: createOwn,
    gates: given,
    errors = [],
    handler,
    ...described
  } = definition;
  const { status = 200 } = described;
  const gates: readonly Gate[] = body === undefined ? given : [...given, 'body'];
  const operationId = `${method}${pascalCase(path.replaceAll('}', ''))}`;
  const content =
    answer instanceof z.ZodType
      ? jsonContent(envelopeOf(answer).register(accountComponents, { id: `${pascalCase(operationId)}Answer` }))
      : answer;
  return {
    method,
    path: `/account/api/${path}`,
    gates,
    errors: [
      'invalid_parameter',
      'service_unavailable',
      ...(id === undefined ? [] : ['not_found' as const]),
      ...errors,
    ],
    operation() {
      const parameters = [
        ...(id === undefined ? [] : [idParameter(`The id of the ${id}.`)]),
        ...(query === undefined || texts === undefined ? [] : queryParameters(query, texts)),
      ];
      const requestBody = body && {
        required: true,
        content: { 'application/json': { schema: toSchema(body, 'input') } },
      };
      return { ...described, operationId, tag: tagOf(path), parameters, ...(requestBody && { requestBody }), content };
    },
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

/** Returns a path parameter for an id. */
function idParameter(description: string): Json {
  return { name: 'id', in: 'path', required: true, description, schema: { type: 'integer', minimum: 1 }, example: 1 };
}

/** Names the operation's group after the beginning of its path. */
function tagOf(path: string): AccountTag {
  const [first] = path.split(/\W/);
  return accountTagNames.find((tag) => tag.toLowerCase() === first) ?? 'Account';
}

/** Returns the id in the address. Throws `NotInAccount` for a text that cannot be an id. */
function pathId(ctx: EndpointContext, of: string): number {
  const { id = '' } = ctx.params;
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new NotInAccount(of);
  return Number(id);
}

/** The answer of a download as CSV. */
export const csv = { 'text/csv': { schema: { type: 'string' } } } as const;

/** Answers with a file that the browser keeps instead of showing it. */
export function sendFile(
  ctx: Context,
  fileName: string,
  mediaType: 'text/csv' | 'application/json',
  text: string,
): null {
  ctx.set('Content-Disposition', `attachment; filename="${fileName}"`);
  ctx.set('Content-Type', `${mediaType}; charset=utf-8`);
  ctx.body = text;
  return null;
}
