import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type RawLine, readLines } from '../../../indexer/import/read-lines.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'entity-search-lines-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function linesOf(content: string | Buffer, maxLineBytes = 1_000): Promise<readonly RawLine[]> {
  const path = join(folder, 'lines');
  writeFileSync(path, content);
  const lines: RawLine[] = [];
  for await (const piece of readLines(path, maxLineBytes, new AbortController().signal)) lines.push(...piece.lines);
  return lines;
}

test('lines are numbered from one; the last needs no newline, and blank lines count', async () => {
  const lines = await linesOf('a\n\nb\r\nc');
  expect(lines.map(({ number, bytes }) => [number, bytes.toString()])).toEqual([
    [1, 'a'],
    [2, ''],
    [3, 'b\r'],
    [4, 'c'],
  ]);
  expect(await linesOf('')).toEqual([]);
  expect(await linesOf('a\n')).toHaveLength(1);
});

test('a byte order mark is not part of the first line', async () => {
  expect((await linesOf('\ufeffa\n\ufeffb')).map(({ bytes }) => bytes.toString())).toEqual(['a', '\ufeffb']);
});

test('a line at the limit is kept, a longer one is cut to its beginning, and the next is unaffected', async () => {
  const lines = await linesOf(`${'x'.repeat(1_000)}\n${'y'.repeat(1_001)}\nz\n`);
  expect(lines.map(({ tooLong }) => tooLong)).toEqual([false, true, false]);
  expect(lines[1]?.bytes.length).toBeLessThanOrEqual(64);
  expect(lines[2]?.bytes.toString()).toBe('z');
});

test('a line longer than many chunks of the file is not held in memory', async () => {
  const lines = await linesOf(Buffer.concat([Buffer.alloc(3_000_000, 'x'), Buffer.from('\nnext')]));
  expect(lines.map(({ number, tooLong, bytes }) => [number, tooLong, bytes.length <= 64])).toEqual([
    [1, true, true],
    [2, false, true],
  ]);
});

test('lines are read whole, wherever the chunks of the file end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 150_000 }), { minLength: 1, maxLength: 6 }), async (lengths) => {
      const wanted = lengths.map((length, at) => String.fromCharCode(97 + at).repeat(length + 1));
      const lines = await linesOf(wanted.join('\n'), 200_000);
      expect(lines.map(({ bytes }) => bytes.toString())).toEqual(wanted);
    }),
    { numRuns: 15 },
  );
});
