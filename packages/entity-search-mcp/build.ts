import { join } from 'node:path';
import { build } from 'esbuild';

// Builds the package for npm: our own files become one file, for every Node that the package supports. Libraries stay
// dependencies, so that their fixes reach installations without a release of ours.

const folder = import.meta.dirname;

await build({
  entryPoints: [join(folder, 'src', 'main.ts')],
  outfile: join(folder, 'dist', 'main.js'),
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
});
