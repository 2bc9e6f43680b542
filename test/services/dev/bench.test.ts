import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { requiredEnv } from '../../support/jest/required-env.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const spread = z.strictObject({ median: z.number(), min: z.number(), max: z.number() });
const line = z.object({
  bench: z.string(),
  subject: z.number().positive(),
  floor: z.number().positive(),
  ratio: spread,
  unit: z.string().min(1),
  rows: z.number(),
  rssMaxMb: z.number().positive(),
  cpuSeconds: z.number().positive(),
  versions: z.object({ node: z.string(), elasticsearch: z.string(), postgres: z.string() }),
  cores: z.int().positive(),
  loadAverage: z.number(),
  goals: z.array(z.object({ of: z.string() })).min(1),
  met: z.boolean(),
});

let state: string;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'entity-search-bench-'));
});

afterAll(() => rm(state, { recursive: true, force: true }));

/** `npm run bench` as a user runs it, on the tests' engines. */
async function bench(...args: readonly string[]) {
  const child = spawn(process.execPath, ['dev/bench/main.ts', ...args, '--state', state], {
    cwd: root,
    env: {
      ...process.env,
      DATABASE_URL: requiredEnv('TEST_DATABASE_URL'),
      ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, lines: out.split('\n').filter((one) => one !== ''), err };
}

const short = ['--rows', '500', '--rounds', '1', '--seconds', '1'] as const;

test('figures are lines of JSON on stdout', async () => {
  const { code, lines } = await bench('bulk', 'verify', ...short);
  const figures = lines.map((one) => line.parse(JSON.parse(one)));
  expect(figures.map((figure) => [figure.bench, figure.rows])).toEqual([
    ['bulk', 500],
    ['verify', 500],
  ]);
  expect(code).toBe(0);
});

test('with --base, the same bench of another checkout is the floor', async () => {
  const { code, lines } = await bench('verify', ...short, '--base', '.');
  const { ratio, met, subject, floor } = line
    .omit({ rssMaxMb: true, cpuSeconds: true })
    .parse(JSON.parse(lines[0] ?? ''));
  expect(ratio.median).toBeCloseTo(subject / floor, 2);
  expect(code).toBe(met ? 0 : 1);
});

test('a folder that is not a checkout is refused before anything runs', async () => {
  const { code, err } = await bench('verify', ...short, '--base', state);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('is not a checkout of the project') });
});
