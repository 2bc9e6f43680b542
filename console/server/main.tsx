import { renderToString } from 'preact-render-to-string';
import type { PageState } from '../../src/pages/page.ts';
import { PageView } from '../shared/page-view.tsx';
import { pageParams, parseSearchState } from '../shared/search/state.ts';
import { Shell } from '../shared/shell.tsx';
import { PageLoading } from '../shared/ui/notes.tsx';

/** Returns the API's parameters for the search in a query string of the search page. */
export function searchParameters(queryString: string): string {
  return pageParams(parseSearchState(queryString)).toString();
}

/** Renders the first view of a page as HTML. */
export function renderPage({ site, path, page }: PageState): string {
  return renderToString(
    <Shell path={path} account={null}>
      {page.name === 'account' ? <PageLoading /> : <PageView site={site} page={page} />}
    </Shell>,
  );
}
