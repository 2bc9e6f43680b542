import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { parse } from 'yaml';
import { z } from 'zod';
import { runCli } from '../../../cli/cli.ts';
import { exitCodes } from '../../../cli/exit-codes.ts';
import { createTerminal } from '../../../cli/terminal.ts';
import { referencePages } from '../../../dev/docs/pages.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { optionList } from '../../../packages/entity-search-mcp/src/options.ts';
import { tools } from '../../../src/http/mcp/tools/tools.ts';
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

test('every link within the repository has a target', () => {
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

test('every file that a page names in code exists', () => {
  const missing = pages.flatMap((page) =>
    codes(prose(page))
      .filter((code) => /^(src|indexer|mappings|cli|console|dev|test|docs|ops|clients|packages)\/[\w./-]+$/.test(code))
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('the reference is the output of `npm run docs`', async () => {
  const pages = await referencePages();
  expect(Object.keys(pages).sort()).toEqual(globSync('docs/reference/*.md', { cwd: root }).sort());
  for (const [path, page] of Object.entries(pages)) expect({ path, page: read(path) }).toEqual({ path, page });
});

test('docs/reference/settings.md has exactly the variables of both processes', async () => {
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

test('the help lists every exit code', async () => {
  const [, explained = ''] = (await help()).split('Exit codes:\n');
  const numbers = [...explained.matchAll(/\d+/g)].map(([number]) => Number(number));
  expect(numbers).toEqual(Object.values(exitCodes));
});

/** The maximum number of words of the handwritten pages, so that one person can keep them correct. */
const maxWords = 18_000;

test('the handwritten pages are short', () => {
  const byHand = globSync('{README.md,CONTRIBUTING.md,docs/*.md}', { cwd: root });
  const words = byHand.reduce((total, page) => total + read(page).split(/\s+/).filter(Boolean).length, 0);
  expect(byHand).toContain('docs/api.md');
  expect(words).toBeLessThanOrEqual(maxWords);
});

test('npm scripts that the pages name exist', () => {
  const scripts: unknown = JSON.parse(read('package.json')).scripts;
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/\bnpm run (?:-s )?([a-z:-]+)/g)].map(([, name = '']) => name),
  );
  expect(Object.keys(scripts ?? {})).toEqual(expect.arrayContaining([...new Set(named)]));
});

// The configurations in docs/agents.md, as clients read them.

const page = read('docs/agents.md');
const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

const byHttp = z.strictObject({
  type: z.literal('http').optional(),
  url: z.literal('https://api.example.com/mcp'),
  headers: z.strictObject({ Authorization: z.string().startsWith('Bearer ') }),
});
const byStdio = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.literal('npx'),
  args: z.array(z.string()).min(2),
  env: z.record(z.string(), z.string()),
});
const servers = z.strictObject({ 'entity-search': z.union([byHttp, byStdio]) });
const input = z.strictObject({
  type: z.literal('promptString'),
  id: z.string(),
  description: z.string(),
  password: z.literal(true),
});
const configuration = z.union([
  z.strictObject({ mcpServers: servers }),
  z.strictObject({ inputs: z.array(input), servers }),
]);

test('every client configuration is JSON of the form that its client reads', () => {
  expect(blocks).toHaveLength(4);
  for (const block of blocks) expect(configuration.safeParse(JSON.parse(block))).toMatchObject({ success: true });
});

test('the program reads every setting of the configurations', () => {
  const variables = optionList.map(({ env }) => env);
  const flags = optionList.flatMap(({ flag }) => (flag === undefined ? [] : [`--${flag}`]));
  for (const block of blocks) {
    const parsed = configuration.parse(JSON.parse(block));
    const server = 'servers' in parsed ? parsed.servers['entity-search'] : parsed.mcpServers['entity-search'];
    if (!('command' in server)) continue;
    expect(variables).toEqual(expect.arrayContaining(Object.keys(server.env)));
    expect(flags).toEqual(expect.arrayContaining(server.args.filter((arg) => arg.startsWith('--'))));
  }
  const named = [...page.matchAll(/ENTITY_SEARCH_[A-Z_]+/g)].map(([name]) => name);
  expect(variables).toEqual(expect.arrayContaining([...new Set(named)]));
});

test('the table of tools has exactly the tools', () => {
  const listed = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
  expect([...listed].sort()).toEqual(tools.map(({ name }) => name).sort());
});

// Operators copy commands from the pages at night: every command, subcommand and option on them exists.

/** Every `entity-search …` of a page, in code blocks and in the text, as its words up to whatever ends a command. */
function commandsOf(page: string): readonly (readonly string[])[] {
  const text = read(page);
  const blocks = [...text.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const inline = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inline].flatMap((line) =>
    [...line.matchAll(/(?:^|\s|node )(?:entity-search|indexer\/main\.ts) +([^#|&>;]*)/g)].map(([, rest = '']) =>
      rest
        .replace(/"[^"]*"/g, 'TEXT')
        .trim()
        .split(/\s+/)
        .filter((word) => word !== ''),
    ),
  );
}

const helps = new Map<string, string>();
async function helpOf(path: readonly string[]): Promise<string> {
  const key = path.join(' ');
  const known = helps.get(key);
  if (known !== undefined) return known;
  const { out } = await entitySearch([...path, '--help'], {});
  helps.set(key, out);
  return out;
}

/** The commands within a command, as its help lists them. */
function listed(help: string): readonly string[] {
  const [, list = ''] = /^Commands:\n([\s\S]*?)(?:\n\n|(?![\s\S]))/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

async function problemOf(words: readonly string[]): Promise<string | null> {
  const [first = '', second = ''] = words;
  const top = listed(await helpOf([]));
  // `entity-search …` names no command.
  const path = /^[a-z][a-z-]+$/.test(first) ? [first] : [];
  if (path.length === 1 && !top.includes(first)) return `there is no command ${first}`;
  const within = path.length === 1 ? listed(await helpOf(path)) : [];
  if (within.includes(second)) path.push(second);
  else if (within.length > 0 && /^[a-z][a-z-]+$/.test(second) && !(await helpOf(path)).includes('[kinds')) {
    return `${first} has no ${second}`;
  }
  // The program and the groups of commands have options that may stand anywhere.
  const help = (await Promise.all([[], path.slice(0, 1), path].map(helpOf))).join('\n');
  const missing = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '');
  const unknown = missing.filter((option) => !new RegExp(`(^|\\s)${option}(\\s|,|$)`, 'm').test(help));
  return unknown.length === 0 ? null : `${path.join(' ')} has no ${unknown.join(', ')}`;
}

test('every entity-search command that a page names exists, with its options', async () => {
  const problems: string[] = [];
  let checked = 0;
  for (const page of pages) {
    for (const words of commandsOf(page)) {
      checked += 1;
      const problem = await problemOf(words);
      if (problem !== null) problems.push(`${page}: entity-search ${words.join(' ')}: ${problem}`);
    }
  }
  expect(problems).toEqual([]);
  expect(checked).toBeGreaterThan(60);
});

test('every compose service that a page runs a command in exists', () => {
  const { services } = z
    .object({ services: z.record(z.string(), z.unknown()) })
    .parse(parse(read('docker-compose.yml'), { merge: true }));
  const texts = [...pages, 'docker-compose.yml'].map((page) => [page, read(page)] as const);
  const named = texts.flatMap(([page, text]) =>
    [...text.matchAll(/docker compose run --rm (?:--[a-z-]+ (?:"[^"]*" )?)*([a-z-]+)/g)].map(
      ([, name]) => `${page}: ${name}`,
    ),
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !Object.hasOwn(services, name.split(': ')[1] ?? ''))).toEqual([]);
});
