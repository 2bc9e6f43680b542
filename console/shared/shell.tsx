import type { ComponentChildren } from 'preact';
import { SearchBox } from './search/box/search-box.tsx';

interface ShellProps {
  readonly path: string;
  /** The name of the account that is signed in; null for a visitor, and until the session is known. */
  readonly account: string | null;
  readonly children: ComponentChildren;
}

/** Pages with a search box of their own. */
const hasOwnBox = ['/', '/search'];

/** The frame of every page: header and footer. */
export function Shell({ path, account, children }: ShellProps) {
  return (
    <>
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <header class="site-head">
        <div class="site-head-inner">
          <a class="brand" href="/" aria-current={path === '/' ? 'page' : undefined}>
            <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
              <circle cx="10" cy="10" r="6.5" />
              <circle cx="10" cy="10" r="2" class="brand-dot" />
              <path d="M15 15l6 6" />
            </svg>
            <span>Entity Search</span>
          </a>
          {!hasOwnBox.includes(path) && <SearchBox query="" type="all" />}
          <nav class="site-nav" aria-label="Site">
            <a href="/search" aria-current={path === '/search' ? 'page' : undefined}>
              Search
            </a>
            <a href="/docs" aria-current={path === '/docs' ? 'page' : undefined}>
              Docs
            </a>
            <a class="site-account" href="/account" aria-current={path.startsWith('/account') ? 'page' : undefined}>
              {account === null ? 'Sign in' : <span class="site-account-name">{account}</span>}
            </a>
          </nav>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer class="site-foot">
        <div class="site-foot-inner">
          <p>Web3 companies, people, investors and events.</p>
          <nav aria-label="For programs">
            <a href="/docs">API documentation</a>
            <a href="/openapi.json">OpenAPI</a>
            <a href="/llms.txt">llms.txt</a>
          </nav>
        </div>
      </footer>
    </>
  );
}
