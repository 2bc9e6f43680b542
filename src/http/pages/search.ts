import type { SearchPage } from '../../pages/page.ts';
import type { Context } from '../context.ts';
import { canonicalOf, type PageDeps, sendPage } from './send-page.ts';

export const searchPath = '/search';
const searchText = 'Search companies, people, investors and events by name, topic and place, with filters and facets.';

type Outcome = Pick<SearchPage, 'found' | 'refusal'> & { readonly title: string };

/** Answers with the search page: its results, or the reason why there are none. */
export function sendSearchPage(ctx: Context, deps: PageDeps, { title, ...outcome }: Outcome): void {
  sendPage(ctx, deps, {
    page: { name: 'search', queryString: ctx.querystring, ...outcome },
    head: { title, description: searchText, canonical: canonicalOf(ctx, deps, searchPath) },
    // Results are not indexed, because the pages of the entities are.
    indexable: false,
    kept: outcome.refusal === null,
  });
}
