/** What a page that is loaded when it is needed gets. */
export interface LazyPageProps {
  /** Such as `/account/keys`. */
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly search: string;
}
