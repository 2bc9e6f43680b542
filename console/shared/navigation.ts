import { useEffect, useState } from 'preact/hooks';

/** The current address, without the origin. */
export interface Place {
  readonly path: string;
  /** The query string with its question mark; empty if there is none. */
  readonly search: string;
}

/** Returns true for pages that the browser renders; the server renders all others. */
function shownByBrowser(path: string): boolean {
  // The account's API is below its pages, and has none.
  const isAccountPage = path === '/account' || (path.startsWith('/account/') && !path.startsWith('/account/api/'));
  // Only the server has the results of the first search.
  return isAccountPage || (path === '/search' && location.pathname === path);
}

type Listener = (place: Place) => void;
const listeners = new Set<Listener>();

function currentPlace(): Place {
  return { path: location.pathname, search: location.search };
}

/**
 * Goes to an address of this origin: within the document if the browser can show it, else by loading it. Never leaves
 * the origin.
 * @param href an absolute path such as `/account/keys`
 */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = new URL(href, location.origin);
  if (url.origin !== location.origin) return;
  if (!shownByBrowser(url.pathname)) {
    if (replace) location.replace(url);
    else location.assign(url);
    return;
  }
  const page = ({ pathname, search }: URL | Location) => `${pathname} ${new URLSearchParams(search).get('page')}`;
  // Another page starts at its top. After Back, the browser restores the position.
  const isOther = page(url) !== page(location);
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  if (isOther) scrollTo(0, 0);
  tell();
}

/** Returns the current place. On the server and in the first render, it is the place that the page was rendered for. */
export function usePlace(first: Place): Place {
  const [place, setPlace] = useState(first);
  useEffect(() => {
    listeners.add(setPlace);
    setPlace(currentPlace());
    return () => void listeners.delete(setPlace);
  }, []);
  return place;
}

function tell(): void {
  const place = currentPlace();
  for (const listener of listeners) listener(place);
}

/**
 * Shows the pages of links and of the Back button without loading a document, where possible.
 * @param documentPath the path of the page that came with the document
 */
export function interceptLinks(documentPath: string): void {
  addEventListener('popstate', () => {
    if (!shownByBrowser(location.pathname) && location.pathname !== documentPath) location.reload();
    else tell();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
    if (!shownByBrowser(link.pathname)) return;
    // A place within this page is the browser's own to find.
    if (link.pathname === location.pathname && link.search === location.search && link.hash !== '') return;
    event.preventDefault();
    navigate(`${link.pathname}${link.search}${link.hash}`);
  });
}

/** Sets the title of the page in the tab and in the history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Entity Search`;
  }, [title]);
}
