import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { entitySearch } from '../../../dev/lib/command-line.ts';

// Operators copy commands from the pages at night: every command, subcommand and option on them exists.

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = globSync('{README.md,docs/**/*.md}', { cwd: root }).sort();

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

test('every command of entity-search that a page names exists, with its options', async () => {
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

test('every service of compose that a page runs a command in exists', () => {
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
