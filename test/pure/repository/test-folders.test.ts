import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

// Statements about test files in `jest.config.js`, `CONTRIBUTING.md` and the list of long files.

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.test.ts'));
const { longFiles } = z
  .object({ longFiles: z.record(z.string(), z.array(z.string())) })
  .parse(await import(join(root, 'test/support/jest/long-files.cjs')));

test('every listed slow test file exists and is listed once, with a reason', () => {
  const listed = Object.values(longFiles).flat();
  expect(listed.filter((file) => !files.includes(file))).toEqual([]);
  expect(listed.filter((file, at) => listed.indexOf(file) !== at)).toEqual([]);
});

test('every test file is in a folder of CONTRIBUTING.md, and CI runs all folders', () => {
  const folders = [...read('CONTRIBUTING.md').matchAll(/^\| `(test\/\w+\/)` \|/gm)].map(([, folder = '']) => folder);
  expect(folders).toHaveLength(5);
  expect(files.filter((file) => !folders.some((folder) => file.startsWith(folder)))).toEqual([]);
  for (const folder of folders) expect(read('jest.config.js')).toContain(`<rootDir>/${folder}**/*.test.ts`);
  expect(read('.ci/run')).toMatch(/^npm test -- matrix$/m);
});

/** A line that sets a variable from a stopwatch. */
const measuring = /(\w+)(?: = |: |\.push\()(?:performance\.now|\w+\.elapsed)\(\)/;
const bounding = /\bexpect\(.*\.toBeLessThan/;

// A lower bound is safe: a slow machine only takes longer.
test('no test expects a duration', () => {
  const expecting = files.filter((file) => {
    const lines = read(file).split('\n');
    const measured = lines.flatMap((line) => measuring.exec(line)?.[1] ?? []);
    const isVerdict = (line: string): boolean =>
      bounding.test(line) &&
      (/performance\.now\(|\.elapsed\(|cpuUsage\(/.test(line) || measured.some((name) => line.includes(name)));
    return lines.some(isVerdict);
  });
  expect(expecting).toEqual([]);
});
