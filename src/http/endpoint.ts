import type { CallEndpoint } from '../access/calls.ts';
import type { Json } from '../lib/wire-schema.ts';
import type { Deps } from '../ports.ts';
import type { Context } from './context.ts';

/** What the documents say of this installation. */
export interface Installation {
  /** Of a paid search, in dollars, such as `0.01`. */
  readonly priceUsd: string;
  /** Whether the paid search is offered. */
  readonly sold: boolean;
  /** Whether there is a page where people make keys. */
  readonly accountPage: boolean;
}

export type EndpointContext = Context & { readonly params: Readonly<Record<string, string>> };
type Handler = (ctx: EndpointContext, next: () => Promise<void>) => Promise<void> | void;

/** One address: its route, its documentation and who answers. `app.ts` lists them all. */
export interface Endpoint {
  /** `all`: the handler itself refuses methods. */
  readonly method: 'get' | 'post' | 'delete' | 'all';
  /** As OpenAPI writes it, with places in braces. */
  readonly path: string;
  /** The checks before the handler, in this order. None for health. */
  readonly gates: readonly Gate[];
  /** What an account's requests to it are counted as; of others nothing is counted. */
  readonly countedAs?: CallEndpoint;
  /** Its operation in the OpenAPI document. */
  operation(installation: Installation): Json;
  /** What the operation refers to among the document's `components.schemas`, beside those of zod schemas. */
  readonly schemas?: Json;
  /** Of a keyed endpoint: its line in llms.txt. */
  readonly llms?: string;
  /** @param endpoints all of its list, for those that document the others */
  handler(deps: Deps, endpoints: readonly Endpoint[]): Handler;
}

/**
 * In the order in which a request passes them. Of the account: `same origin` refuses changes that another site's page
 * asks for, and more of them at a time than may wait for their bodies, `attempt` more tries than one address may make, `session` and `operator` everyone who is not signed in or
 * not that. Behind a slot, `visitor` takes one call of the account that is signed in, or one search of a visitor's few,
 * and `visitor suggestion` a tenth of that. Of MCP: `known origin` refuses pages of other sites, and `key if given` lets
 * through who sends no key, and nobody with a wrong one.
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
