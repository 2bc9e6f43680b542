import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readPages } from '../../../src/console-files.ts';
import { buildPages } from '../../support/console/built-pages.ts';

const root = join(import.meta.dirname, '..', '..', '..');

function newFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'entity-search-console-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

let built: ReturnType<typeof buildPages>;
beforeAll(() => {
  built = buildPages();
});
afterAll(() => built?.[Symbol.dispose]());

test('the account pages are in scripts of their own', () => {
  const { script, preload, texts } = built.pages;
  const files = [...texts.keys()];
  const first = [script, ...preload].map((name) => texts.get(name) ?? '');
  expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(first.length);
  const bytes = first.reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(bytes).toBeLessThanOrEqual(30_000);
  // Each name that a script imports is among the files.
  const imported = first.flatMap((text) => [...text.matchAll(/["']\.\/([\w-]+\.js)["']/g)].map(([, name]) => name));
  expect(imported.length).toBeGreaterThan(1);
  expect(files).toEqual(expect.arrayContaining(imported));
});

test('browser code never evaluates text as code, and loads nothing from other origins', () => {
  for (const [file, text] of built.pages.texts) {
    expect([file, text.match(/\beval\(|new Function\(|document\.write\(/g)]).toEqual([file, null]);
    if (file.endsWith('.css')) expect(text).not.toMatch(/url\(|@import/);
  }
});

test('a missing build reads as null, and an incomplete one is an error with the command to run', () => {
  using folder = newFolder();
  expect(readPages(folder.path)).toBeNull();
  expect(readPages(join(folder.path, 'nowhere'))).toBeNull();
  writeFileSync(join(folder.path, 'manifest.json'), '{"script":"../../etc/passwd"}');
  expect(() => readPages(folder.path)).toThrow(/npm run build/);
});

test('the same sources give the same build', () => {
  using other = buildPages();
  expect(other.pages.texts).toEqual(built.pages.texts);
  const manifest = ({ folder }: typeof built) => readFileSync(join(folder, 'manifest.json'), 'utf8');
  expect(manifest(other)).toBe(manifest(built));
});

test('an installation without development tools builds nothing, reports it, and continues', () => {
  using folder = newFolder();
  for (const file of ['package.json', 'console', 'src/pages', 'src/kinds'])
    cpSync(join(root, file), join(folder.path, file), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['console/prepare.js'], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('npm run build');
  expect(existsSync(join(folder.path, 'dist'))).toBe(false);
});
