import type { CallEndpoint } from '../access/calls.ts';
import type { Json } from '../lib/wire-schema.ts';
import { usd } from '../payments/protocol/assets.ts';
import type { Deps } from '../ports.ts';
import type { Context } from './context.ts';

/** Facts about this installation for documents and messages. */
export interface Installation {
  /** Price of a paid search in dollars, such as `0.01`. */
  readonly priceUsd: string;
  /** True if searches are sold. */
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

/** An endpoint with its route, documentation and handler. `app.ts` lists all of them. */
export interface Endpoint {
  /** With `all`, the handler refuses methods itself. */
  readonly method: 'get' | 'post' | 'delete' | 'all';
  /** The path as in OpenAPI, with parameters in braces. */
  readonly path: string;
  /** The checks before the handler, in this order. None for health. */
  readonly gates: readonly Gate[];
  /** The name under which an account's requests are counted. Without it, they are not counted. */
  readonly countedAs?: CallEndpoint;
  /** Its operation in the OpenAPI document. */
  operation(installation: Installation): Json;
  /** Schemas for the document's `components.schemas`, in addition to those of zod schemas. */
  readonly schemas?: Json;
  /** The line of a keyed endpoint in llms.txt. */
  readonly llms?: string;
  /** @param endpoints all endpoints, for those that document the others */
  handler(deps: Deps, endpoints: readonly Endpoint[]): Handler;
}

/**
 * A check before the handler.
 * - `slot`, `search slot`, `records slot`: the request waits for a slot of the process or of an engine
 * - `key`: requires an API key; `key if given` also accepts requests without one
 * - `one call`: charges one call
 * - `known origin`: refuses pages of other sites, for MCP
 * - `same origin`: refuses changes from pages of other sites, and limits changes that wait for their bodies
 * - `attempt`: limits the tries of one address
 * - `session`, `operator`: require a signed-in account or an operator
 * - `visitor`: charges a signed-in account one call, or a visitor one search; `visitor suggestion` charges a visitor a
 *   tenth of that
 */
export type Gate =
  | 'slot'
  | 'key'
  | 'known origin'
  | 'key if given'
  | 'same origin'
  | 'attempt'
  | 'session'
  | 'operator'
  | 'search slot'
  | 'records slot'
  | 'visitor'
  | 'visitor suggestion'
  | 'one call';
