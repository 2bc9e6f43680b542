import type { CallEndpoint } from '../access/calls.ts';
import type { Json } from '../lib/wire-schema.ts';
import { usd } from '../payments/protocol/assets.ts';
import type { Deps } from '../ports.ts';
import type { Context } from './context.ts';
import type { ErrorCode } from './errors/codes.ts';
import type { HeaderName } from './openapi/headers.ts';

/** Facts about this installation for documents and messages. */
export interface Installation {
  /** Price of a paid search in dollars, such as `0.01`. */
  readonly priceUsd: string;
  readonly sold: boolean;
  /** True if people can create keys on the account page. */
  readonly accountPage: boolean;
}

/** Returns the facts about this installation. */
export function installationOf({ paidSearch, config }: Pick<Deps, 'paidSearch' | 'config'>): Installation {
  return {
    priceUsd: paidSearch === null ? '0.01' : usd(paidSearch.terms.amount, paidSearch.terms.asset),
    sold: paidSearch !== null,
    accountPage: config.console !== null,
  };
}

export type EndpointContext = Context & { readonly params: Readonly<Record<string, string>> };
type Handler = (ctx: EndpointContext, next: () => Promise<void>) => Promise<void> | void;

/** An operation of an OpenAPI document. Its authentication and its errors follow from the gates of its endpoint. */
export interface Operation {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  /** The answer by media type. */
  readonly content: Json;
  /** The meaning of the answer, if there is more to know than that the request succeeded. */
  readonly answered?: string;
  /** Headers of the answer, in addition to the request's id and those of every keyed answer. */
  readonly headers?: readonly HeaderName[];
  /** Other responses by status. */
  readonly responses?: Json;
  readonly [extension: `x-${string}`]: Json;
}

/** An address and its handler. `app.ts` lists all routes. */
export interface Route {
  /** With `all`, the handler refuses methods itself. */
  readonly method: 'get' | 'post' | 'delete' | 'all';
  /** The path as in OpenAPI, with parameters in braces. */
  readonly path: string;
  /** The gates before the handler. None for health. */
  readonly gates: readonly Gate[];
  /** The name under which an account's requests are counted. Without it, they are not counted. */
  readonly countedAs?: CallEndpoint;
  handler(deps: Deps): Handler;
}

export interface Endpoint extends Omit<Route, 'handler'> {
  /** Codes of errors that are not from a gate. */
  readonly errors?: readonly ErrorCode[];
  /** Its operation in the OpenAPI document. */
  operation(installation: Installation): Operation;
  /** Schemas for the document's `components.schemas`, in addition to those of zod schemas. */
  readonly schemas?: Json;
  /** The line of a keyed endpoint in llms.txt. */
  readonly llms?: string;
  /** @param endpoints all endpoints, for those that document the others */
  handler(deps: Deps, endpoints: readonly Endpoint[]): Handler;
}

/** The gates before handlers, in the order in which requests pass them, whatever the order of a route's list. */
export const gates = [
  ['known origin', 'refuses pages of other sites, except those in `CORS_ORIGINS`'],
  ['same origin', 'refuses pages of other sites'],
  ['attempt', 'limits the tries of one address'],
  ['key', 'requires an API key'],
  ['key if given', 'checks the API key if there is one'],
  ['payment', 'counts the caller as a payer, also before the payment'],
  ['session if given', 'finds the session if there is one'],
  ['session', 'requires a signed-in account'],
  ['operator', 'requires an operator'],
  ['visitor', 'accepts signed-in accounts with an active plan, and visitors'],
  ['body', "waits for the body, within the limits of the caller's class"],
  ['slot', "takes a slot of the caller's class"],
  ['search slot', 'waits for a slot of Elasticsearch'],
  ['records slot', 'waits for a slot of Postgres'],
  ['one call', 'charges one call'],
  ['one search', 'charges an account one call, or a visitor one search'],
  ['one suggestion', 'charges a tenth of that'],
] as const;
export type Gate = (typeof gates)[number][0];
