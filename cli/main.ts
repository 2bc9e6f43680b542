#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { pino } from 'pino';
import { logLevelConfig } from '../src/config/engines.ts';
import { readEnvironment } from '../src/config/secrets.ts';
import { version } from '../src/lib/service-description.ts';
import { commandFailure } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { keepHeapSmall } from './small-heap.ts';
import { createTerminal } from './terminal.ts';

keepHeapSmall();
// As in src/main.ts.
enableCompileCache(join(import.meta.dirname, '..', '.local', 'compile-cache'));
const terminal = createTerminal(process.stdout, process.stderr);

// The reader of our output may close it early (`| head`). The work is still finished.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

async function main(): Promise<number> {
  const stopping = new AbortController();
  let stoppedBy: 'SIGINT' | 'SIGTERM' | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (stoppedBy !== undefined) process.exit(codeOfSignal(name));
      stoppedBy = name;
      stopping.abort(new Error(`Stopped by ${name}.`));
    });
  }
  const env = readEnvironment(process.env);
  const level = logLevelConfig(env) ?? (process.stderr.isTTY ? 'silent' : 'info');
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Synchronous, so that the last line is not lost when the process ends.
    pino.destination({ dest: 2, sync: true }),
  );
  const args = process.argv.slice(2);
  const context = { env, terminal, log, signal: stopping.signal };
  // Loaded after the heap is set, because loading leaves much garbage.
  const { runCli } = await import('./cli.ts');
  const code = await runCli(args, context, version);
  return stoppedBy !== undefined && code !== exitCodes.ok ? codeOfSignal(stoppedBy) : code;
}

function codeOfSignal(name: 'SIGINT' | 'SIGTERM'): number {
  return name === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
}

try {
  process.exitCode = await main();
} catch (error) {
  const { text, exitCode } = commandFailure(error);
  terminal.fail(text);
  process.exitCode = exitCode;
}
