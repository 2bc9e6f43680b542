import type { Page, Site } from '../../src/pages/page.ts';

interface PageViewProps {
  readonly site: Site;
  readonly page: Exclude<Page, { name: 'account' }>;
}

/** A page that the server renders and the browser takes over. */
export function PageView({ page }: PageViewProps) {
  return <h1>{page.name}</h1>;
}
