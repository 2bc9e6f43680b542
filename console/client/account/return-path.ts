/** The page after sign-in, unless another page led to it. */
export const accountHome = '/account/keys';

/** Pages that must not be opened after sign-in. */
const entrances = ['/account/sign-in', '/account/invitation'];

/** Longer than the address of any account page. */
const lengthMax = 500;

/**
 * Returns the page to open after sign-in. It is always a page of the account at this origin, whatever the link
 * contains.
 * @param search the query of the sign-in page's address, such as `?return=%2Faccount%2Fusage`
 */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return');
  if (wanted === null || wanted.length > lengthMax || !wanted.startsWith('/account')) return accountHome;
  // Made absolute as the browser would, so that `/account/../x`, `\` and line breaks are seen for what they are.
  const base = 'http://console.invalid';
  const { origin, pathname, search: query } = new URL(wanted, base);
  const isPage = pathname === '/account' || (pathname.startsWith('/account/') && !pathname.startsWith('/account/api'));
  return origin === base && isPage && !entrances.includes(pathname) ? `${pathname}${query}` : accountHome;
}

/** Returns the address of the sign-in page that leads back to `path`. */
export function signInPath(path: string): string {
  return path === accountHome || entrances.includes(path)
    ? '/account/sign-in'
    : `/account/sign-in?${new URLSearchParams({ return: path })}`;
}
