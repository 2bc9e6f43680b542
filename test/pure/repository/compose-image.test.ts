import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';

// The image can't be built here, so the files are checked for what would break it.

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const packageFile = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
});
const { version, dependencies, peerDependencies } = packageFile.parse(JSON.parse(read('package.json')));
const dockerfile = read('Dockerfile');

/** The folders of ours that the image holds. */
const shipped = [...dockerfile.matchAll(/^COPY ([a-z]+) \.\/\1$/gm)].map(([, folder = '']) => folder).sort();
const sources = globSync(`{${shipped.join(',')}}/**/*.ts`, { cwd: root }).sort();

interface Import {
  readonly file: string;
  readonly target: string;
  /** Imported only when needed, with a fallback for its absence. */
  readonly lazy: boolean;
}

function imports(): readonly Import[] {
  const statement =
    /^(?:import|export)\s+(?!type\s)(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;
  return sources.flatMap((file) =>
    [...read(file).matchAll(statement)].map(([, still = '', lazy = '']) => ({
      file,
      target: still || lazy,
      lazy: lazy !== '',
    })),
  );
}

test('the image contains exactly the folders of both processes', () => {
  expect(shipped).toEqual(['cli', 'indexer', 'mappings', 'src']);
  const allowed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  expect(read('.dockerignore').split('\n')).toContain('*');
  expect(allowed.sort()).toEqual([
    'LICENSE',
    'cli',
    'console',
    'dev/embeddings/runtime',
    'indexer',
    'mappings',
    'package-lock.json',
    'package.json',
    'src',
  ]);
});

test('the image contains the built pages and none of their sources', () => {
  const [, , stage = '', last = ''] = dockerfile.split(/^FROM .*$/m);
  expect(stage).toMatch(/^RUN node console\/build\.ts$/m);
  expect(last).toMatch(/^COPY --from=pages \/app\/dist \.\/dist$/m);
  expect(last).not.toMatch(/^COPY .*\bconsole\b/m);
});

test('every package that the processes import is a dependency, or optional with a fallback', () => {
  const bare = imports().filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'));
  expect(bare.length).toBeGreaterThan(20);
  const missing = bare.filter(({ target, lazy }) => {
    const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/');
    if (lazy && peerDependencies[name] !== undefined) return false;
    return dependencies[name] === undefined && !builtinModules.includes(name);
  });
  expect(missing).toEqual([]);
});

test('every file that the processes import is in the image', () => {
  const outside = imports()
    .filter(({ target }) => target.startsWith('.'))
    .filter(({ file, target }) => {
      const found = resolve(root, dirname(file), target);
      const folder = relative(root, found).split('/')[0] ?? '';
      return !shipped.includes(folder) || !existsSync(found);
    });
  expect(outside).toEqual([]);
});

test('the image is pinned, runs as a non-root user, and has the version of the package', () => {
  expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24\.\d+\.\d+-bookworm-slim$/m);
  expect(dockerfile).toMatch(/^USER 1000:1000$/m);
  expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
});
