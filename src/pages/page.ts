import type { KindName } from '../kinds/kind.ts';
import type { DocsPage } from './docs.ts';

// The data of the pages, for the renderer on the server and for the browser.

/** Facts about this installation for every page. */
export interface Site {
  /** Scheme, host and port under which people reach it, without a slash at the end. */
  readonly origin: string;
  /** Price of a paid search in dollars, such as `0.01`; null if searches are not sold. */
  readonly priceUsd: string | null;
  /** Searches per minute without signing in; 0 if they need an account. */
  readonly visitorSearchesPerMinute: number;
}

export interface RelatedEntity {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** The first day of an event; null if it is unknown, and for other kinds. */
  readonly date: string | null;
}

/** The entities of one kind that are related to an entity. */
export interface RelatedGroup {
  readonly kind: KindName;
  readonly entities: readonly RelatedEntity[];
  /** True if there are more entities than are listed. */
  readonly more: boolean;
}

export interface SimilarEntity extends RelatedEntity {
  /** Shared values by the names in answers; empty if only the texts are similar. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
}

export interface EntityPage {
  readonly name: 'entity';
  /** The address of the results that led to the page; null if another page did. */
  readonly backHref: string | null;
  readonly kind: KindName;
  readonly record: Readonly<Record<string, unknown>>;
  readonly related: readonly RelatedGroup[];
  /** The other events of an event's series, in no particular order; none if the search failed. */
  readonly editions: readonly RelatedEntity[];
  /** The most similar first; none if the search failed. */
  readonly similar: readonly SimilarEntity[];
}

export interface ErrorPage {
  readonly name: 'error';
  readonly status: number;
  /** A sentence with the next step. */
  readonly message: string;
}

export interface StartPage {
  readonly name: 'start';
  /** People who can get an account without an operator. */
  readonly signUp: 'closed' | 'invited' | 'open';
  /**
   * Limits of accounts that wallets open; a null limit means unlimited. Null if wallets can't open accounts, or
   * unknown.
   */
  readonly plan: { readonly callsPerMinute: number | null; readonly callsPerMonth: number | null } | null;
  /** Frequent values of the data, as example searches; none until they are known. */
  readonly examples: readonly { readonly filter: 'tag' | 'country'; readonly value: string }[];
}

/** A search, with the answer of the API to the page's own request. */
export interface SearchPage {
  readonly name: 'search';
  /** Without its question mark. */
  readonly queryString: string;
  /** The page of results; null if the search was refused. */
  readonly found: object | null;
  readonly refusal: Refusal | null;
}

/** An error of a search. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Null if the search may be repeated at once. */
  readonly retryAfterSeconds: number | null;
}

export type Page = StartPage | SearchPage | EntityPage | DocsPage | { readonly name: 'account' } | ErrorPage;

export interface PageState {
  readonly site: Site;
  /** Path of the address, without its query. */
  readonly path: string;
  readonly page: Page;
}

/** The id of the element that holds the state of a page, as JSON. */
export const pageStateId = 'page-state';

/** A slug that can't be in an address, because it would be read as an id or as a path segment such as `..`. */
const slugInNoAddress = /^(?:\d+|\.{0,2})$/;

/** Returns the identifier for an entity's address: its slug if that leads to the entity, otherwise its id. */
export function identifierOf({ id, slug }: { readonly id: number; readonly slug?: string | null | undefined }): string {
  return typeof slug === 'string' && !slugInNoAddress.test(slug) ? slug : String(id);
}
