import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPages } from '../../../src/console-files.ts';
import type { Pages } from '../../../src/ports.ts';
import { type Api, type Behaviour, startApi } from '../api/in-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Builds the pages of this checkout into a folder that is removed afterwards. */
export function buildPages(): { readonly pages: Pages; readonly folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-pages-'));
  // A separate process builds them, because esbuild doesn't work with the globals with which Jest replaces Node's.
  execFileSync(process.execPath, ['console/build.ts', '--outdir', folder], { cwd: root, stdio: 'pipe' });
  const pages = readPages(folder);
  if (pages === null) throw new Error('the pages were built, and are not there');
  return { pages, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Builds the pages for a file of tests. Returns a function that starts the API with them, and the pages. */
export function servedPages() {
  let built: ReturnType<typeof buildPages>;
  beforeAll(() => {
    built = buildPages();
  });
  afterAll(() => built?.[Symbol.dispose]());
  const start = (behaviour: Behaviour = {}): Promise<Api> => startApi({ pages: built.pages, ...behaviour });
  return Object.assign(start, { pages: () => built.pages });
}
