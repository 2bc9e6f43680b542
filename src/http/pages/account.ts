import type { PageRoute } from './page-route.ts';
import { sendPage } from './send-page.ts';

const pages = ['sign-in', 'invitation', 'keys', 'usage', 'payments', 'security', 'operator'] as const;

/** Returns a route that sends the document of every account page. The browser reads the path and loads the account. */
function accountShell(path: string): PageRoute {
  return {
    method: 'get',
    path,
    gates: ['slot'],
    handler: (deps) => (ctx) =>
      sendPage(ctx, deps, {
        page: { name: 'account' },
        head: { title: 'Account', description: 'Keys, usage, payments and security of an account.', canonical: null },
        indexable: false,
        kept: false,
      }),
  };
}

/** GET /account and the pages under it. */
export const accountPages: readonly PageRoute[] = [
  accountShell('/account'),
  ...pages.map((page) => accountShell(`/account/${page}`)),
];
