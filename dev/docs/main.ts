import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { referencePages } from './pages.ts';

for (const [path, page] of Object.entries(await referencePages())) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, page);
  process.stdout.write(`${path}\n`);
}
