import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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

test('figures are lines of JSON on stdout, and one that got worse than in an earlier run ends with exit code 1', async () => {
  const short = ['bulk', 'verify', '--rows', '500', '--rounds', '1', '--seconds', '1'] as const;
  const impossible = {
    bench: 'verify',
    rows: 500,
    subject: 1,
    ratio: { median: 1e9, min: 1e9, max: 1e9 },
    better: 'higher',
  };
  const earlier = join(state, 'earlier.ndjson');
  await writeFile(earlier, JSON.stringify(impossible));
  const { code, lines, err } = await bench(...short, '--json', '--compare', earlier);
  const figures = lines.map((one) => line.parse(JSON.parse(one)));
  expect(figures.map((figure) => [figure.bench, figure.rows])).toEqual([
    ['bulk', 500],
    ['verify', 500],
  ]);
  expect(err).toContain('Worse than before: verify.');
  expect(code).toBe(1);
}, 120_000);
