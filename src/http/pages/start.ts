import type { PageRoute } from './page-route.ts';
import { canonicalOf, sendPage } from './send-page.ts';

const description =
  'Search Web3 companies, people, investors and events. Misspellings are forgiven. By page, API key or pay-per-use.';

/** GET / */
export const startPage: PageRoute = {
  method: 'get',
  path: '/',
  gates: ['slot'],
  handler: (deps) => (ctx) =>
    sendPage(ctx, deps, {
      page: { name: 'start', signUp: deps.config.console?.signUp ?? 'closed', plan: deps.planOffer?.latest() ?? null },
      head: { title: 'Entity Search', description, canonical: canonicalOf(ctx, deps, '/') },
      indexable: true,
      kept: true,
    }),
};
