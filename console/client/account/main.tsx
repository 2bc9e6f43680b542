import type { LazyPageProps } from '../lib/lazy-page.ts';

/** Everything under `/account`: each page by its path. */
export function AccountPages({ path }: LazyPageProps) {
  return <h1 tabIndex={-1}>Account: {path}</h1>;
}
