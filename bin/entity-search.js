#!/usr/bin/env node
// Plain JavaScript, so that a Node that cannot run TypeScript reports it in a sentence: cli/main.ts would end
// with a stack trace before its first line.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `entity-search needs Node 22.18 or later, better 24, and this is Node ${process.versions.node}. Install Node 24, or put node_modules/.bin first in PATH.\n`,
  );
  process.exitCode = 1;
} else {
  await import('../cli/main.ts');
}
