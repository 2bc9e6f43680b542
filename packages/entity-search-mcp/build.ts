import { join } from 'node:path';
import { build } from 'esbuild';

// What npm publishes: our own files as one, for every Node that the package supports. The libraries stay dependencies, so
// that a correction of theirs reaches installations without a release of ours.

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
