/** The page after sign-in, unless another page led to it. */
export const accountHome = '/account/keys';

export const accountPages = [
  accountHome,
  '/account/usage',
  '/account/payments',
  '/account/security',
  '/account/operator',
] as const;

/**
 * Returns the page to open after sign-in. It is always one of the account's pages, whatever the link contains.
 * @param search the query of the sign-in page's address, such as `?return=%2Faccount%2Fusage`
 */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? '';
  const [path = '', query] = wanted.split(/[?#]/);
  if (!accountPages.some((page) => page === path)) return accountHome;
  return wanted[path.length] === '?' ? `${path}?${query}` : path;
}

/** Returns the address of the sign-in page that leads back to `path`. */
export function signInPath(path: string): string {
  return path === accountHome ? '/account/sign-in' : `/account/sign-in?${new URLSearchParams({ return: path })}`;
}
