import type { PageRoute } from './page-route.ts';
import { canonicalOf, sendPage } from './send-page.ts';

/** Longer addresses say nothing that the page reads. In characters. */
const queryStringMax = 8_192;

/** GET /search: what is asked stands in the address, and the browser asks it. */
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
      // Every address of it is another list of pages that can be indexed themselves.
      indexable: false,
      kept: true,
    }),
};
