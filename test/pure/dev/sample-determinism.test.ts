import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateSample, SAMPLE_DEFAULTS, writeSample } from '../../../dev/sample/generate.ts';
import { SAMPLE_KINDS } from '../../../dev/sample/rows.ts';

const SMALL = { companies: 130, people: 70, investors: 30, events: 40 };
// Changes when the word lists or the drawing change, and for no other reason; then put the new one here.
const SMALL_SEED_1_SHA256 = 'b2f43c5af8cf58b703f120ea36299f96107551cf48df512cbc44defb7638a7f1';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sample-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const kind of SAMPLE_KINDS) hash.update(await readFile(join(folder, `${kind}.ndjson`)));
  return hash.digest('hex');
}

test('an aborted write rejects and leaves no partial file', async () => {
  const aborted = writeSample(directory, SAMPLE_DEFAULTS, AbortSignal.abort());
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  expect(await readdir(directory)).toEqual([]);
});

test('a small sample is a prefix of a larger one', () => {
  const small = generateSample({ seed: 3, counts: SMALL });
  const large = generateSample({ seed: 3, counts: { companies: 1100, people: 700, investors: 230, events: 330 } });
  for (const kind of SAMPLE_KINDS) {
    expect([...large[kind]].slice(0, SMALL[kind])).toEqual([...small[kind]]);
  }
});

test('slugs stay unique when names repeat', () => {
  const { companies, events } = generateSample({
    seed: 1,
    counts: { companies: 20_000, people: 0, investors: 0, events: 6_000 },
  });
  expect(new Set(Array.from(companies, (company) => company.slug)).size).toBe(20_000);
  expect(new Set(Array.from(events, (event) => event.slug)).size).toBe(6_000);
});

test.each([
  ['a negative count', { seed: 1, counts: { ...SMALL, people: -1 } }, /people/],
  ['a count above the limit', { seed: 1, counts: { ...SMALL, events: 1_000_001 } }, /events/],
  ['a broken seed', { seed: 1.5, counts: SMALL }, /seed/],
])('%s is refused', (_, options, message) => {
  expect(() => generateSample(options)).toThrow(message);
});

describe('the command', () => {
  const run = (...flags: string[]) => promisify(execFile)(process.execPath, ['dev/sample/main.ts', ...flags]);

  test('writes the requested size, the same bytes on every machine, and reports it', async () => {
    const flags = ['--companies', '130', '--people', '70', '--investors', '30', '--events', '40'];
    const { stdout } = await run('--dir', directory, ...flags);
    expect(stdout).toBe(`130 companies, 70 people, 30 investors, 40 events in ${directory} (seed 1)\n`);
    expect(await hashOf(directory)).toBe(SMALL_SEED_1_SHA256);
  });

  test('refuses a count that is not a number', async () => {
    await expect(run('--dir', directory, '--people', 'many')).rejects.toMatchObject({ code: 1 });
  });
});
