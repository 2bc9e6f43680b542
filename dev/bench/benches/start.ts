import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { choosePort } from '../../lib/ports.ts';
import { tailOf, until } from '../../lib/processes.ts';
import type { Measured } from '../figures.ts';
import { answers, type ProgramContext, ProgramFailedError } from '../programs.ts';
import { inTurn, measuredIn } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const root = join(import.meta.dirname, '..', '..', '..');
/** A start is short, so more of them narrow the spread. */
const rounds = 7;
const small = 1_000;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const database = await setup.database(Math.min(small, setup.rows));
  const context = { ...setup.program(database), logFile: setup.path('log/bench-start.log') };
  const sides = await inTurn(
    Math.max(rounds, setup.options.rounds),
    {
      subject: async () => ({ value: await secondsToFirstAnswer(['src/main.ts'], context) }),
      floor: async () => ({ value: await secondsToFirstAnswer(['dev/bench/programs/hello.ts'], context) }),
    },
    setup.signal,
  );
  yield {
    bench: 'start',
    unit: 's to the first answer',
    rows: database.rows,
    ...measuredIn(sides),
    sides: { subject: 'node src/main.ts', floor: 'a bare Koa' },
    better: 'lower',
    goals: [{ of: 'subject', atMost: 1 }],
  };
}

async function secondsToFirstAnswer(args: readonly string[], context: ProgramContext): Promise<number> {
  const port = await choosePort(undefined);
  const log = openSync(context.logFile, 'w');
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...args], {
    cwd: root,
    env: { ...process.env, ...context.env, HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  try {
    const up = await until(() => answers(`http://127.0.0.1:${port}`), {
      timeoutMs: 20_000,
      everyMs: 2,
      signal: context.signal,
    });
    if (!up)
      throw new ProgramFailedError(`${args.join(' ')} did not answer; its log ends:\n${tailOf(context.logFile)}`);
    return (performance.now() - startedMs) / 1_000;
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
}

export const start: BenchGroup = { names: ['start'], run };
