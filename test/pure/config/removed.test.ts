import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { removedProblems, removedSettings } from '../../../src/config/removed.ts';
import { namesRead, settingsReaders } from '../../support/settings-read.ts';

const root = join(import.meta.dirname, '..', '..', '..');

test('a removed setting is read by nobody', async () => {
  const known = new Set((await settingsReaders()).flatMap(({ read }) => namesRead(read)));
  expect(Object.keys(removedSettings).filter((name) => known.has(name))).toEqual([]);
});

test('each is told in one sentence with what is used now, and one that is empty counts as unset', () => {
  const names = Object.keys(removedSettings);
  const problems = removedProblems(Object.fromEntries(names.map((name) => [name, '1'])));
  expect(problems).toHaveLength(names.length);
  for (const problem of problems) expect(problem).toMatch(/^[A-Z][A-Z0-9_]+: was removed in 0\.2: \S.*; unset it$/);
  expect(removedProblems({ KEY_CACHE_MS: '' })).toEqual([]);
});

test.each([
  ['src/main.ts', 1],
  ['cli/main.ts', 64],
  ['dev/demo/main.ts', 1],
])('%s refuses to start where one is set, with exit code %s', (program, code) => {
  const args = program === 'cli/main.ts' ? [program, 'status'] : [program];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, KEY_CACHE_MS: '5s' },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({
    status: code,
    stderr: expect.stringContaining('KEY_CACHE_MS: was removed in 0.2'),
  });
});
