import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { runCli } from '../../cli/cli.ts';
import { createTerminal } from '../../cli/terminal.ts';
import { limitsOf } from './limits.ts';

export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process with piped streams and only this environment. LIMITS shortens limits. */
export async function entitySearch(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal = new AbortController().signal,
): Promise<CommandRun> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const log = pino({ base: null }, stderr);
  const running = runCli(
    args,
    { env, terminal: createTerminal(stdout, stderr), log, signal, limits: limitsOf(env) },
    '0.0.0-test',
  ).finally(() => {
    stdout.end();
    stderr.end();
  });
  const [code, out, err] = await Promise.all([running, text(stdout), text(stderr)]);
  return { code, out, err };
}
