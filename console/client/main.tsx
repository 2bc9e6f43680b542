import { type ComponentType, hydrate } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageState } from '../../src/pages/page.ts';
import { interceptLinks, type Place, usePlace } from '../shared/navigation.ts';
import { PageView } from '../shared/page-view.tsx';
import { Shell } from '../shared/shell.tsx';
import { ErrorNote, PageLoading } from '../shared/ui/notes.tsx';
import { readPageState } from './lib/page-state.ts';
import { useSession } from './session.ts';

/** The whole page in the browser. Its first render equals the server's. */
function App({ state }: { readonly state: PageState }) {
  const first = useRef(true);
  const documentTitle = useRef(document.title);
  const place = usePlace(placeOf(state));
  const session = useSession();
  const page = pageAt(state, place);
  useEffect(() => {
    if (!first.current) focusHeading();
    first.current = false;
    // Restore the title after Back; other pages set their own.
    if (namedByServer(page)) document.title = documentTitle.current;
  }, [place.path]);
  return (
    <Shell
      path={place.path}
      account={session !== null && session !== 'failed' && session.signed_in ? session.account.name : null}
    >
      {page.name === 'account' ? <AccountPart place={place} /> : <PageView site={state.site} page={page} />}
    </Shell>
  );
}

function placeOf({ path, page }: PageState): Place {
  return { path, search: page.name === 'search' && page.queryString !== '' ? `?${page.queryString}` : '' };
}

/** Returns the page of a place: the one that came with the document, or another by its address. */
function pageAt(state: PageState, { path, search }: Place): PageState['page'] {
  const { page } = state;
  if (path !== state.path) return { name: 'account' };
  if (page.name !== 'search' || page.queryString === search.slice(1)) return page;
  return { name: 'search', queryString: search.slice(1), found: null, refusal: null };
}

/** True if the page keeps the title of the document; the title of other pages changes in the browser. */
function namedByServer({ name }: PageState['page']): boolean {
  return name !== 'search' && name !== 'account';
}

/** The account pages. Their script is loaded when it is needed; the first script has all other pages. */
function AccountPart({ place }: { readonly place: Place }) {
  const [found, setFound] = useState<{ readonly Pages: ComponentType<Place> } | 'failed' | null>(null);
  useEffect(() => {
    import('./account/main.tsx').then(
      ({ AccountPages }) => setFound({ Pages: AccountPages }),
      () => setFound('failed'),
    );
  }, []);
  if (found === null) return <PageLoading />;
  if (found === 'failed')
    return <ErrorNote>This page could not be loaded. Check your connection, then reload.</ErrorNote>;
  return <found.Pages {...place} />;
}

/** Focuses the heading, so that screen readers announce the new page. */
function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null || document.activeElement?.matches(searchBox)) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

const searchBox = 'input[type=search][role=combobox]';

/** Makes Ctrl+K, ⌘K and "/" focus the search box. */
function listenToSearchKey(): void {
  document.addEventListener('keydown', (event) => {
    const isCombination = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
    if (!isCombination && (event.key !== '/' || isTyping)) return;
    event.preventDefault();
    const input = document.querySelector<HTMLInputElement>(searchBox);
    input?.focus();
    input?.select();
  });
}

const root = document.querySelector('#app');
const state = readPageState();
if (root !== null && state !== null) {
  interceptLinks(state.path);
  listenToSearchKey();
  hydrate(<App state={state} />, root);
}
