import type { Page, Site } from '../../src/pages/page.ts';
import { EntityView } from './pages/entity-page.tsx';
import { ErrorView } from './pages/error-page.tsx';
import { SearchPage } from './pages/search-page.tsx';
import { StartView } from './pages/start-page.tsx';

interface PageViewProps {
  readonly site: Site;
  readonly page: Exclude<Page, { name: 'account' }>;
}

/** A page that the server renders and the browser continues. */
export function PageView({ site, page }: PageViewProps) {
  switch (page.name) {
    case 'start':
      return <StartView site={site} page={page} />;
    case 'search':
      return <SearchPage site={site} queryString={page.queryString} />;
    case 'entity':
      return <EntityView site={site} page={page} />;
    case 'error':
      return <ErrorView page={page} />;
    default:
      return page satisfies never;
  }
}
