import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { runCli } from '../../../cli/cli.ts';
import { exitCodes } from '../../../cli/exit-codes.ts';
import { createTerminal } from '../../../cli/terminal.ts';
import { referencePages } from '../../../dev/docs/pages.ts';
import { namesRead, settingsReaders } from '../../support/settings-read.ts';

// Statements of the docs about the code match the code.

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = globSync('{*,docs/**/*,dev/**/*,ops/**/*}.md', { cwd: root }).sort();

/** A page without its code blocks, which hold examples. */
const prose = (page: string): string => read(page).replace(/^```[\s\S]*?^```$/gm, '');

/** The cells of every table row. */
function rows(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

const codes = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** A heading's anchor, as it is made on the usual sites. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function anchorsOf(page: string): readonly string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

test('every link within the repository leads somewhere', () => {
  const broken = pages.flatMap((page) =>
    [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(resolve(root, file))) return true;
        return anchor !== undefined && !anchorsOf(file).includes(anchor);
      })
      .map((target) => `${page}: ${target}`),
  );
  expect(pages).toContain('README.md');
  expect(broken).toEqual([]);
});

test('every file of the repository that a page names in code exists', () => {
  const missing = pages.flatMap((page) =>
    codes(prose(page))
      .filter((code) => /^(src|indexer|mappings|cli|console|dev|test|docs|ops|clients|packages)\/[\w./-]+$/.test(code))
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('the reference is what `npm run docs` writes', async () => {
  const pages = await referencePages();
  expect(Object.keys(pages).sort()).toEqual(globSync('docs/reference/*.md', { cwd: root }).sort());
  for (const [path, page] of Object.entries(pages)) expect({ path, page: read(path) }).toEqual({ path, page });
});

test('docs/reference/settings.md has every variable of both processes, and no other', async () => {
  const known = (await settingsReaders()).flatMap((reader) => namesRead(reader.read));
  const documented = rows(read('docs/reference/settings.md'))
    .flatMap(([first = '']) => codes(first))
    .filter((name) => name !== 'variable');
  expect(documented.toSorted()).toEqual([...new Set(known)].sort());
});

async function help(): Promise<string> {
  let text = '';
  const screen = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const log = pino({ level: 'silent' });
  const context = { env: {}, terminal: createTerminal(screen, screen), log, signal: new AbortController().signal };
  expect(await runCli(['--help'], context, '0.0.0')).toBe(exitCodes.ok);
  return text;
}

test('the help has every exit code', async () => {
  const [, explained = ''] = (await help()).split('Exit codes:\n');
  const numbers = [...explained.matchAll(/\d+/g)].map(([number]) => Number(number));
  expect(numbers).toEqual(Object.values(exitCodes));
});

/** The most words that the pages written by hand may have, so that one person can keep them true. */
const maxWords = 18_000;

test('the pages written by hand are short', () => {
  const byHand = globSync('{README.md,CONTRIBUTING.md,docs/*.md}', { cwd: root });
  const words = byHand.reduce((total, page) => total + read(page).split(/\s+/).filter(Boolean).length, 0);
  expect(byHand).toContain('docs/api.md');
  expect(words).toBeLessThanOrEqual(maxWords);
});

test("npm's commands that the pages name exist", () => {
  const scripts: unknown = JSON.parse(read('package.json')).scripts;
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/\bnpm run (?:-s )?([a-z:-]+)/g)].map(([, name = '']) => name),
  );
  expect(Object.keys(scripts ?? {})).toEqual(expect.arrayContaining([...new Set(named)]));
});
