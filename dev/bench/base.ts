import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { startEngines } from '../engines/engines.ts';
import { type Figure, figureOf, type Goal, type Measured, machineNow } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { heapMb } from './setup.ts';

export class NoBaseError extends Error {
  override readonly name = 'NoBaseError';
}

const root = join(import.meta.dirname, '..', '..');
const figureSchema = z.object({
  bench: z.string(),
  figure: z.string().optional(),
  unit: z.string(),
  rows: z.number(),
  subject: z.number(),
  better: z.enum(['higher', 'lower']),
  versions: z.record(z.string(), z.string()),
});
type Turn = z.infer<typeof figureSchema>;

/** A change below 5 % is noise, however close the rounds are. */
const goals = {
  higher: { of: 'ratio', atLeast: 0.95 },
  lower: { of: 'ratio', atMost: 1.05 },
} as const satisfies Record<Turn['better'], Goal>;

/**
 * Runs the benches of this checkout and of another one in turns, on the same engines, and compares what they measured.
 * Each turn is one round. A figure that either checkout lacks is left out.
 * @throws NoBaseError if the folder is not a checkout with its packages installed
 */
export async function compareWithBase(
  folder: string,
  options: BenchOptions,
  signal: AbortSignal,
  printLine: (line: string) => void,
): Promise<readonly Figure[]> {
  const base = resolve(folder);
  if (!existsSync(join(base, 'dev/bench/main.ts')) || !existsSync(join(base, 'node_modules'))) {
    throw new NoBaseError(`${folder} is not a checkout of the project with its packages: run npm ci there.`);
  }
  const { state } = options;
  const engines = await startEngines({ state, env: process.env, printLine, heapMb, signal });
  try {
    const env = { ...process.env, DATABASE_URL: engines.postgres.url, ELASTICSEARCH_URL: engines.elasticsearch.url };
    const turns = { subject: [] as Turn[][], floor: [] as Turn[][] };
    const sides = [
      ['subject', root],
      ['floor', base],
    ] as const;
    for (let round = 1; round <= options.rounds; round += 1) {
      // The later turn of a round finds warmer engines.
      for (const [side, checkout] of round % 2 === 1 ? sides : sides.toReversed()) {
        printLine(`Round ${round} of ${options.rounds}: ${checkout} …`);
        turns[side].push(await measureOnce(checkout, options, env, signal));
      }
    }
    return (turns.subject[0] ?? []).flatMap((first) => {
      const values = (all: readonly Turn[][]) => all.flatMap((turn) => valuesOf(turn, first));
      const [subject, floor] = [values(turns.subject), values(turns.floor)];
      if (subject.length !== floor.length) return [];
      return [figureOf(measured(first, { subject, floor }, folder), machineNow(first.versions))];
    });
  } finally {
    await engines.stop();
  }
}

async function measureOnce(
  checkout: string,
  { names, rows, seconds, data, state }: BenchOptions,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Turn[]> {
  const own = join(resolve(state), checkout === root ? 'turns' : 'turns-base');
  const args = ['--rounds', '1', '--seconds', String(seconds), '--state', own];
  if (rows !== undefined) args.push('--rows', String(rows));
  if (data !== undefined) args.push('--data', resolve(data));
  const run = promisify(execFile)(process.execPath, ['dev/bench/main.ts', ...names, ...args], {
    cwd: checkout,
    env,
    signal,
  });
  const lines = (await run).stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => figureSchema.parse(JSON.parse(line)));
}

function valuesOf(turn: readonly Turn[], { bench, figure }: Turn): readonly number[] {
  return turn.filter((one) => one.bench === bench && one.figure === figure).map(({ subject }) => subject);
}

function measured(
  { bench, figure, unit, rows, better }: Turn,
  values: Pick<Measured, 'subject' | 'floor'>,
  folder: string,
): Measured {
  return {
    bench,
    ...(figure === undefined ? {} : { figure }),
    unit,
    rows,
    ...values,
    sides: { subject: 'this checkout', floor: folder },
    better,
    goals: [goals[better]],
    rssMaxMb: null,
    cpuSeconds: null,
  };
}
