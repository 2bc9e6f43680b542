import { renderToString } from 'preact-render-to-string';
import type { PageState } from '../../src/pages/page.ts';
import { PageView } from '../shared/page-view.tsx';
import { searchTitle } from '../shared/pages/search-page.tsx';
import { pageParams, parseSearchState } from '../shared/search/state.ts';
import { Shell } from '../shared/shell.tsx';
import { PageLoading } from '../shared/ui/notes.tsx';

/** Reads the search in a query string of the search page: its title, and the API's parameters for it. */
export function readSearch(queryString: string): { readonly title: string; readonly parameters: string } {
  const state = parseSearchState(queryString);
  return { title: searchTitle(state), parameters: pageParams(state).toString() };
}

/** Renders the first view of a page as HTML. */
export function renderPage({ site, path, page }: PageState): string {
  return renderToString(
    <Shell path={path} account={null}>
      {page.name === 'account' ? <PageLoading /> : <PageView site={site} page={page} />}
    </Shell>,
  );
}
