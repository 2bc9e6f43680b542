import type { KindName } from '../kinds/kind.ts';

// What the pages show, as the server hands it to their renderer and, beside the HTML, to the browser. Plain data.

/** What every page knows of this installation. */
export interface Site {
  /** Scheme, host and port under which people reach it, without a slash at the end. */
  readonly origin: string;
  /** Of a paid search, in dollars, such as `0.01`; null where none are sold. */
  readonly priceUsd: string | null;
  /** Searches a minute without signing in; 0 where there are none. */
  readonly visitorSearchesPerMinute: number;
}

/** An entity that another one leads to. */
interface RelatedEntity {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/** The entities of one kind that an entity has to do with. */
export interface RelatedGroup {
  readonly kind: KindName;
  readonly entities: readonly RelatedEntity[];
  /** Whether there are more than are listed. */
  readonly more: boolean;
}

/** An entity of the same kind that is like it. */
export interface SimilarEntity extends RelatedEntity {
  /** What they have in common, by the name that answers have for it; empty where only their texts are alike. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
}

export interface EntityPage {
  readonly name: 'entity';
  readonly kind: KindName;
  readonly record: Readonly<Record<string, unknown>>;
  readonly related: readonly RelatedGroup[];
  /** The most alike first; none where they could not be found. */
  readonly similar: readonly SimilarEntity[];
}

export interface ErrorPage {
  readonly name: 'error';
  readonly status: number;
  /** A sentence that says what to do. */
  readonly message: string;
}

export interface StartPage {
  readonly name: 'start';
  /** Who may get an account without an operator. */
  readonly signUp: 'closed' | 'invited' | 'open';
  /** What wallets get that open an account; a null limit is none. Null where they open none, or it is not known. */
  readonly plan: { readonly callsPerMinute: number | null; readonly callsPerMonth: number | null } | null;
}

export type Page =
  | StartPage
  /** @property queryString without its question mark */
  | { readonly name: 'search'; readonly queryString: string }
  | EntityPage
  | { readonly name: 'account' }
  | ErrorPage;

/** A page and where it is shown. */
export interface PageState {
  readonly site: Site;
  /** Of the address, without what is asked. */
  readonly path: string;
  readonly page: Page;
}

/** A slug that an address would not lead to: it is read as an id first, or as a step within the address. */
const slugInNoAddress = /^(?:\d+|\.{0,2})$/;

/** What an entity is called in an address: its slug, where that leads to it and to no other one, else its id. */
export function identifierOf({ id, slug }: { readonly id: number; readonly slug?: string | null | undefined }): string {
  return typeof slug === 'string' && !slugInNoAddress.test(slug) ? slug : String(id);
}
