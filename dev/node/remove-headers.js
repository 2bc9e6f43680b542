import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Node's headers are 67 MB that only the compilation of native add-ons needs.
const { resolve } = createRequire(import.meta.url);
try {
  const folder = dirname(resolve(`node-${process.platform}-${process.arch}/package.json`));
  rmSync(join(folder, 'include'), { recursive: true, force: true });
} catch (error) {
  // An installation for production has no Node of its own.
  if (error.code !== 'MODULE_NOT_FOUND') throw error;
}
