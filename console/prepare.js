// Run by `npm ci`. An installation for production has no esbuild, and takes `dist/console` from where it was built.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

function canBuild() {
  try {
    require.resolve('esbuild');
    return process.features.typescript !== undefined && process.features.typescript !== false;
  } catch {
    return false;
  }
}

if (canBuild()) {
  const { buildConsole } = await import('./build.ts');
  await buildConsole();
} else {
  process.stdout.write(
    'The console was not built: that needs the development dependencies and Node 22.18. Run "npm ci && npm run build" ' +
      'and copy dist/console here, or set CONSOLE=false.\n',
  );
}
