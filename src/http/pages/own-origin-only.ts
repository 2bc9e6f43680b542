import { pageRoutes } from './page-routes.ts';

/** What addresses of pages begin with: `account`, `companies`; empty for the start page. */
const roots = new Set(pageRoutes.map(({ path }) => rootOf(path)));

/**
 * Whether an address is for the pages of this origin alone, so that none of another origin may read it: the pages
 * themselves, their files, and the account with its API.
 */
export function isForOwnOrigin(path: string): boolean {
  return roots.has(rootOf(path));
}

function rootOf(path: string): string {
  const [, root = ''] = path.split('/', 2);
  return root;
}
