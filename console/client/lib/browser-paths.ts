/**
 * Whether the browser shows the page of a path by itself. All other addresses are documents of the server.
 * @param path such as `/account/keys`
 */
export function shownByBrowser(path: string): boolean {
  return path === '/search' || isAccountPath(path);
}

/** Whether a path is a page of the account. Its API stands under it, and has none. */
export function isAccountPath(path: string): boolean {
  return path === '/account' || (path.startsWith('/account/') && !path.startsWith('/account/api/'));
}
