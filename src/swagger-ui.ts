import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const packages = createRequire(import.meta.url);

/** A file of the documentation's viewer, as its package has it. */
export function viewerFile(name: 'swagger-ui-bundle.js' | 'swagger-ui.css'): string {
  return readFileSync(packages.resolve(`swagger-ui-dist/${name}`), 'utf8');
}
