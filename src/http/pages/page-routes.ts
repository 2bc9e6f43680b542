import { kindNames } from '../../kinds/kind.ts';
import type { StartPage } from '../../pages/page.ts';
import type { Pages } from '../../ports.ts';
import type { Knowledge } from '../../search/questions/knowledge.ts';
import type { Route } from '../endpoint.ts';
import { findEntities } from '../endpoints/search.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { sendStatic } from '../response/static-file.ts';
import { assetsPath } from './document.ts';
import { entityPage, eventCalendar } from './entity.ts';
import { searchPath, sendSearchPage } from './search.ts';
import { builtPages, canonicalOf, sendPage } from './send-page.ts';

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

export const pageAssets: Route = {
  method: 'get',
  path: `${assetsPath}{file}`,
  gates: ['slot'],
  handler({ pages }) {
    const senders = pages === null ? new Map() : sendersOf(pages);
    return (ctx, next) => {
      const send = senders.get(ctx.params.file ?? '');
      if (send === undefined) throw new RouteNotFound();
      return send(ctx, next);
    };
  },
};

/** Returns a handler for each file. Names include a hash of the content, so answers can be cached forever. */
function sendersOf({ texts }: Pages): ReadonlyMap<string, ReturnType<typeof sendStatic>> {
  return new Map(
    [...texts].map(([name, text]) => {
      const type = types[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined) throw new Error(`${name} has an unknown file type; add its media type`);
      return [name, sendStatic(type, () => text, { namesContent: true })];
    }),
  );
}

const startText = 'Search Web3 companies, people, investors and events, on the web or through the API. Typos are fine.';

const startPage: Route = {
  method: 'get',
  path: '/',
  gates: ['slot'],
  handler: (deps) => (ctx) =>
    sendPage(ctx, deps, {
      page: {
        name: 'start',
        signUp: deps.config.console?.signUp ?? 'closed',
        plan: deps.planOffer?.latest() ?? null,
        examples: startExamples(deps.knowledge.latest()),
      },
      head: { title: 'Entity Search', description: startText, canonical: canonicalOf(ctx, deps, '/') },
      indexable: true,
      kept: true,
    }),
};

/** Returns the two most frequent tags of the data, and its most frequent country. */
function startExamples({ terms }: Knowledge): StartPage['examples'] {
  return [
    ...[...(terms.tags ?? [])].slice(0, 2).map((value) => ({ filter: 'tag' as const, value })),
    ...[...terms.countries].slice(0, 1).map((value) => ({ filter: 'country' as const, value })),
  ];
}

/** GET /search: the results of the search in the address. The browser continues with further searches. */
const searchPage: Route = {
  method: 'get',
  path: searchPath,
  gates: ['slot', 'visitor', 'search slot', 'one search'],
  countedAs: 'console',
  handler: (deps) => async (ctx) => {
    const { title, parameters } = builtPages(deps).readSearch(ctx.querystring);
    const { data } = await findEntities(deps, ctx, parameters);
    sendSearchPage(ctx, deps, { title, found: data, refusal: null });
  },
};

const accountText = 'Keys, usage, payments and security of an account.';
const accountPaths = ['', '/sign-in', '/invitation', '/keys', '/usage', '/payments', '/security', '/operator'];

/** GET /account and the pages under it. The browser reads the path and loads the account. */
const accountPages = accountPaths.map(
  (path): Route => ({
    method: 'get',
    path: `/account${path}`,
    gates: ['slot'],
    handler: (deps) => (ctx) =>
      sendPage(ctx, deps, {
        page: { name: 'account' },
        head: { title: 'Account', description: accountText, canonical: null },
        indexable: false,
        kept: false,
      }),
  }),
);

const robotsOpen = `User-agent: *
Disallow: /account
Disallow: /api/
Disallow: /search
`;
const robotsClosed = `User-agent: *
Disallow: /
`;

/** GET /robots.txt */
const robots: Route = {
  method: 'get',
  path: '/robots.txt',
  gates: ['slot'],
  handler: ({ config }) => sendStatic('text/plain', () => (config.console?.indexable ? robotsOpen : robotsClosed)),
};

export const pageRoutes: readonly Route[] = [
  startPage,
  searchPage,
  ...kindNames.map(entityPage),
  eventCalendar,
  ...accountPages,
  pageAssets,
  robots,
];

/** First segments of the pages' paths, such as `account`; empty for the start page. */
const roots = new Set(pageRoutes.map(({ path }) => rootOf(path)));

/** Returns true for pages, their files and the account's API, which pages of other origins must not read. */
export function isForOwnOrigin(path: string): boolean {
  return roots.has(rootOf(path));
}

function rootOf(path: string): string {
  const [, root = ''] = path.split('/', 2);
  return root;
}
