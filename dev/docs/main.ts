import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { referencePages } from './pages.ts';
import { packageServerJson, serverJsonPath } from './server-json.ts';

const pages = { ...(await referencePages()), [serverJsonPath]: packageServerJson() };
for (const [path, page] of Object.entries(pages)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, page);
  process.stdout.write(`${path}\n`);
}
