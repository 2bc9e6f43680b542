import { commandsPage } from './commands.ts';
import { elasticsearchPage } from './elasticsearch.ts';
import { errorsPage } from './errors.ts';
import { metricsPage } from './metrics.ts';
import { searchPage } from './search.ts';
import { settingsPage } from './settings.ts';

/** The pages of docs/reference that are written from the code, by their paths. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  const pages = {
    settings: settingsPage(),
    errors: errorsPage(),
    search: searchPage(),
    metrics: metricsPage(),
    commands: await commandsPage(),
    elasticsearch: elasticsearchPage(),
  };
  return Object.fromEntries(
    Object.entries(pages).map(([name, page]) => {
      const [title = '', ...rest] = page.split('\n');
      const note = '<!-- Written by `npm run docs`: change the code beside which these texts stand. -->';
      return [`docs/reference/${name}.md`, [title, '', note, ...rest].join('\n')];
    }),
  );
}
