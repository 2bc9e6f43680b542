import { useEffect, useState } from 'preact/hooks';

/** Where the page is now, without the origin. */
export interface Place {
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly search: string;
}

/** True for a page that the browser shows by itself; all other addresses are documents of the server. */
function shownByBrowser(path: string): boolean {
  // The account's API is below its pages, and has none.
  const isAccountPage = path === '/account' || (path.startsWith('/account/') && !path.startsWith('/account/api/'));
  return path === '/search' || isAccountPage;
}

type Listener = (place: Place) => void;
const listeners = new Set<Listener>();

/** Where the browser is. */
export function currentPlace(): Place {
  return { path: location.pathname, search: location.search };
}

/**
 * Goes to an address of this origin: within the document where a route of the browser shows it, and by loading it
 * elsewhere. Never leaves the origin, whatever it is given.
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
  const elsewhere = url.pathname !== location.pathname;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  if (elsewhere) scrollTo(0, 0);
  tell();
}

/** The place, followed as it changes. On the server and in the first render it is what the page was rendered for. */
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
 * Lets links to pages that the browser can show by itself do so, and the back button with them.
 * @param documentPath of the page that came with the document, which can be gone back to
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
