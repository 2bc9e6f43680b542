#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { z } from 'zod';
import { withSecretFiles } from '../src/secrets.ts';
import { runCli } from './cli.ts';
import { logLevelConfig } from './config.ts';
import { explain } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { createTerminal } from './terminal.ts';

const terminal = createTerminal(process.stdout, process.stderr);

// Whoever read our output may go before we are done (`| head`). That is no reason to leave work half done.
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
  const env = withSecretFiles(process.env);
  const level = logLevelConfig(env) ?? (process.stderr.isTTY ? 'silent' : 'info');
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Synchronous: the last line must not be lost when the process ends.
    pino.destination({ dest: 2, sync: true }),
  );
  const code = await runCli(process.argv.slice(2), { env, terminal, log, signal: stopping.signal }, readVersion());
  return stoppedBy !== undefined && code !== exitCodes.ok ? codeOfSignal(stoppedBy) : code;
}

function codeOfSignal(name: 'SIGINT' | 'SIGTERM'): number {
  return name === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

try {
  process.exitCode = await main();
} catch (error) {
  const { text, exitCode } = explain(error);
  terminal.fail(text);
  process.exitCode = exitCode;
}
