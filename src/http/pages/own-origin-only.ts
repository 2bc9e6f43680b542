import { pageRoutes } from './page-routes.ts';

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
