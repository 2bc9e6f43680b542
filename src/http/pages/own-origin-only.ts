import { kindNames } from '../../kinds/kind.ts';

const roots = ['account', 'search', 'console', ...kindNames];

/**
 * Whether an address is for the pages of this origin alone, so that none of another origin may read it: the pages
 * themselves, their files, and the account.
 */
export function isForOwnOrigin(path: string): boolean {
  const [, root = ''] = path.split('/', 2);
  return root === '' || roots.includes(root);
}
