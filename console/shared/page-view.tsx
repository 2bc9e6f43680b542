import type { ErrorPage, Page, Site } from '../../src/pages/page.ts';
import { DocsView } from './pages/docs-page.tsx';
import { EntityView } from './pages/entity-page.tsx';
import { SearchView } from './pages/search-page.tsx';
import { StartView } from './pages/start-page.tsx';
import { ButtonLink } from './ui/button.tsx';

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in to continue',
  403: 'You have no access to this page',
  404: 'Page not found',
  503: 'Temporarily unavailable',
};

function ErrorView({ page }: { readonly page: ErrorPage }) {
  return (
    <div class="page error-page">
      <p class="eyebrow">{page.status}</p>
      <h1>{titles[page.status] ?? 'Something went wrong'}</h1>
      <p class="lead">{page.message}</p>
      <p class="chips">
        {page.status === 401 ? (
          <ButtonLink href="/account/sign-in" tone="primary">
            Sign in
          </ButtonLink>
        ) : (
          <ButtonLink href="/search" tone="primary">
            Search
          </ButtonLink>
        )}
        <ButtonLink href="/">Start page</ButtonLink>
      </p>
    </div>
  );
}

/** A page that the server renders and the browser continues. */
export function PageView({ site, page }: { readonly site: Site; readonly page: Exclude<Page, { name: 'account' }> }) {
  switch (page.name) {
    case 'start':
      return <StartView site={site} page={page} />;
    case 'search':
      return <SearchView site={site} page={page} />;
    case 'entity':
      return <EntityView site={site} page={page} />;
    case 'docs':
      return <DocsView site={site} page={page} />;
    case 'error':
      return <ErrorView page={page} />;
    default:
      return page satisfies never;
  }
}
