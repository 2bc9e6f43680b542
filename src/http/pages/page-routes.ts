import { kindNames } from '../../kinds/kind.ts';
import { accountPages } from './account.ts';
import { pageAssets } from './assets.ts';
import { entityPage } from './entity.ts';
import type { PageRoute } from './page-route.ts';
import { robots } from './robots.ts';
import { searchPage } from './search.ts';
import { startPage } from './start.ts';

export const pageRoutes: readonly PageRoute[] = [
  startPage,
  searchPage,
  ...kindNames.map(entityPage),
  ...accountPages,
  pageAssets,
  robots,
];
