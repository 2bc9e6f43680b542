import type { PageRoute } from './page-route.ts';
import { canonicalOf, sendPage } from './send-page.ts';

/** Maximum number of characters of the query string. Valid searches are shorter. */
const queryStringMax = 8_192;

/** GET /search: the browser runs the search in the address. */
export const searchPage: PageRoute = {
  method: 'get',
  path: '/search',
  gates: ['slot'],
  handler: (deps) => (ctx) =>
    sendPage(ctx, deps, {
      page: { name: 'search', queryString: ctx.querystring.slice(0, queryStringMax) },
      head: {
        title: 'Search',
        description:
          'Search companies, people, investors and events by name, topic and place, with filters and facets.',
        canonical: canonicalOf(ctx, deps, '/search'),
      },
      // Results are not indexed, because the pages of the entities are.
      indexable: false,
      kept: true,
    }),
};
