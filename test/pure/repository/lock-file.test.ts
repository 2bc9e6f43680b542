import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { newestPostgres } from '../../../dev/engines/postgres/versions.ts';
import { testedServers } from '../../../src/schema/server-version.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const names = z.record(z.string(), z.string()).default({});
const list = z.union([z.array(z.string()), z.string().transform((one) => [one])]).default([]);
const entry = z.looseObject({
  version: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().default(false),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  os: list,
  cpu: list,
  libc: list,
  dependencies: names,
  optionalDependencies: names,
});
const { '': project, ...entries } = z
  .looseObject({ packages: z.record(z.string(), entry) })
  .parse(JSON.parse(read('package-lock.json'))).packages;
/** Packages from a registry. A package of this repository is a folder, and a link to it. */
const packages = Object.fromEntries(
  Object.entries(entries).filter(([path, { link }]) => path.includes('node_modules/') && !link),
);
const packageFile = z
  .looseObject({
    dependencies: names,
    devDependencies: names,
    peerDependencies: names,
    peerDependenciesMeta: z.record(z.string(), z.strictObject({ optional: z.literal(true) })),
    allowScripts: z.record(z.string(), z.boolean()),
    overrides: names,
  })
  .parse(JSON.parse(read('package.json')));

const hashed = { integrity: expect.stringMatching(/^sha512-[\w+/]{86}==$/), resolved: undefined };

// npm leaves a package out of the lock when the registry did not have it, and then refuses `npm ci` everywhere.
test('the lock file has an entry for every optional package, for all platforms', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined && packages[`${path}/node_modules/${name}`] === undefined,
    ),
  );
  expect(missing).toEqual([]);
});

test('the lock file names no download URLs, so that any registry works', () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

// The registry has no hash of some development tools for other platforms.
test('every package has a SHA-512, except development tools for platforms other than Linux on x64 with glibc', () => {
  const without = Object.entries(packages).filter(
    ([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
  );
  const here = without.filter(
    ([, { os, cpu, libc }]) =>
      (os.length === 0 || os.includes('linux')) && (cpu.length === 0 || cpu.includes('x64')) && !libc.includes('musl'),
  );
  // For some packages only the name shows the C library: npm's lock file leaves it out.
  expect(here.filter(([path]) => !path.endsWith('-musl'))).toEqual([]);
  expect(without.filter(([, { dev, optional }]) => !dev || !optional)).toEqual([]);
});

test('package.json has exact versions, and the lock file has the same ones', () => {
  const { dependencies, devDependencies, overrides } = packageFile;
  const asked = Object.entries({ ...dependencies, ...devDependencies }).filter(([, from]) => !from.startsWith('file:'));
  const exact = /^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
  expect([...asked, ...Object.entries(overrides)].filter(([, version]) => !exact.test(version))).toEqual([]);
  const other = asked.filter(
    ([name, version]) => packages[`node_modules/${name}`]?.version !== version.split('@').at(-1),
  );
  expect(other).toEqual([]);
  expect({ ...project?.dependencies }).toEqual(dependencies);
});

test('production packages have no install script', () => {
  const installed = Object.entries(packages).filter(([, { dev, optional }]) => !dev && !optional);
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});

test('the packages for local models are optional, and pinned by exact version and hash', () => {
  const { peerDependencies, peerDependenciesMeta } = packageFile;
  const optional = Object.keys(peerDependencies).sort();
  expect(optional).toEqual(['@huggingface/tokenizers', 'onnxruntime-node']);
  expect(Object.keys(peerDependenciesMeta).sort()).toEqual(optional);
  const { '': asked, ...runtime } = z
    .looseObject({ packages: z.record(z.string(), entry) })
    .parse(JSON.parse(read('dev/embeddings/runtime/package-lock.json'))).packages;
  expect(asked?.dependencies).toEqual(peerDependencies);
  for (const name of optional) {
    expect(packages[`node_modules/${name}`]).toBeUndefined();
    expect(runtime[`node_modules/${name}`]?.version).toBe(peerDependencies[name]);
    expect(read('docs/embeddings.md')).toContain(`${name}@${peerDependencies[name]}`);
  }
  for (const { integrity, resolved } of Object.values(runtime)) expect({ integrity, resolved }).toEqual(hashed);
});

test('the image and the manual installation install exactly those packages', () => {
  const lines = (page: string): readonly string[] =>
    read(page)
      .split('\n')
      .filter((line) => /^(RUN .*)?\s*npm ci --omit/.test(line) || line.includes(' npm ci --omit'));
  for (const page of ['Dockerfile', 'docs/install.md']) {
    expect(lines(page).length).toBeGreaterThan(0);
    for (const line of lines(page)) expect(line).toMatch(/npm ci --omit=dev --omit=optional --ignore-scripts\b/);
  }
});

test('older versions of Postgres are pinned by exact version and hash, and work with any registry', () => {
  const file = read('dev/engines/postgres/older/package-lock.json');
  const { '': asked, ...older } = z
    .looseObject({ packages: z.record(z.string(), entry) })
    .parse(JSON.parse(file)).packages;
  const versions = testedServers.filter((version) => version !== newestPostgres);
  const names = versions.flatMap((version) => [`postgres-${version}-linux-x64`, `postgres-${version}-darwin-arm64`]);
  expect(Object.keys(older)).toEqual(expect.arrayContaining(names.map((name) => `node_modules/${name}`)));
  expect(Object.keys(older).sort()).toEqual(
    Object.keys(asked?.optionalDependencies ?? {})
      .map((name) => `node_modules/${name}`)
      .sort(),
  );
  for (const { version, integrity, resolved, optional } of Object.values(older)) {
    expect({ integrity, resolved, optional }).toEqual({ ...hashed, optional: true });
    expect(version).toMatch(/^\d+\.\d+\.\d+-[\w.]+$/);
  }
});
