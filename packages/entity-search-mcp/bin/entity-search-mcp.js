#!/usr/bin/env node
// In the repository, Node runs the TypeScript itself. The published package has only the built file.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/main.ts', import.meta.url);
const built = new URL('../dist/main.js', import.meta.url);
const has = (url) => existsSync(fileURLToPath(url));

if (has(source) && process.features.typescript) {
  await import(source.href);
} else if (has(built)) {
  await import(built.href);
} else {
  process.stderr.write(
    `entity-search-mcp runs from its sources only with Node 22.18 or later, and this is Node ${process.versions.node}. ` +
      'Use Node 24, or build it: npm run build -w entity-search-mcp\n',
  );
  process.exitCode = 1;
}
