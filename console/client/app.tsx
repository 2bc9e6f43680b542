import { useEffect, useRef } from 'preact/hooks';
import type { PageState } from '../../src/pages/page.ts';
import { NavigationContext } from '../shared/navigation.ts';
import { PageView } from '../shared/page-view.tsx';
import { Shell } from '../shared/shell.tsx';
import { LazyPage } from './lib/lazy-page.tsx';
import { navigate, type Place, usePlace } from './lib/navigation.ts';
import { useSession } from './session.ts';

/** The whole page in the browser. What it shows first is just what the server rendered. */
export function App({ state }: { readonly state: PageState }) {
  const first = useRef(true);
  const documentTitle = useRef(document.title);
  const place = usePlace(placeOf(state));
  const session = useSession();
  const page = pageAt(state, place);
  useEffect(() => {
    if (!first.current) focusHeading();
    first.current = false;
    // Whoever came back to it: the others name themselves.
    if (namedByServer(page)) document.title = documentTitle.current;
  }, [place.path]);
  return (
    <NavigationContext.Provider value={navigate}>
      <Shell path={place.path} account={session === null || !session.signed_in ? null : session.account.name}>
        {page.name === 'account' ? (
          <LazyPage load={loadAccountPages} props={place} />
        ) : (
          <PageView site={state.site} page={page} />
        )}
      </Shell>
    </NavigationContext.Provider>
  );
}

function placeOf({ path, page }: PageState): Place {
  return { path, search: page.name === 'search' && page.queryString !== '' ? `?${page.queryString}` : '' };
}

/** What a place shows: pages that came with the document as they came, others by their address. */
function pageAt(state: PageState, { path, search }: Place): PageState['page'] {
  if (path === '/search') return { name: 'search', queryString: search.slice(1) };
  return path === state.path ? state.page : { name: 'account' };
}

/** Whether a page has the title that its document came with: all but those that change within the browser. */
function namedByServer({ name }: PageState['page']): boolean {
  return name !== 'search' && name !== 'account';
}

/** Pages of the account are loaded when one is first needed; the others are in the first script. */
const loadAccountPages = () => import('./account/main.tsx').then(({ AccountPages }) => AccountPages);

/** Tells who can't see the page that it is another one now. */
function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
