import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, createWriteStream, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { choosePort } from '../lib/ports.ts';
import { tailOf, until } from '../lib/processes.ts';

const root = join(import.meta.dirname, '..', '..');

const usageSchema = z.object({
  cpuSeconds: z.number(),
  rssMaxMb: z.number(),
  marks: z.record(z.string(), z.number()).default({}),
});
/** The resources that a process used, and moments in milliseconds since its start. */
export type Usage = z.infer<typeof usageSchema>;

export interface ProgramContext {
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly logFile: string;
}

export interface Ran {
  readonly stdout: string;
  /** From start to exit, in milliseconds. */
  readonly wallMs: number;
  readonly usage: Usage;
}

export interface Server {
  readonly url: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

export class ProgramFailedError extends Error {
  override readonly name = 'ProgramFailedError';
}

export const cli = 'cli/main.ts';

/** Each ends when this process ends in any way, because its input is closed. */
function start(args: readonly string[], { env, logFile }: ProgramContext, output: 'pipe' | number): ChildProcess {
  const inside = new URL('programs/inside.ts', import.meta.url).href;
  const child = spawn(
    process.execPath,
    ['--import', inside, join(root, 'dev', 'lib', 'exit-with-parent.ts'), ...args],
    { cwd: root, env: { ...process.env, ...env }, stdio: ['pipe', output, output, 'ipc'] },
  );
  child.stdin?.on('error', () => undefined);
  child.stderr?.pipe(createWriteStream(logFile, { flags: 'a' }));
  return child;
}

export async function runProgram(
  args: readonly string[],
  context: ProgramContext,
  allowed: readonly number[] = [0],
): Promise<Ran> {
  context.signal.throwIfAborted();
  const lastWords = resolve(`${context.logFile}.${randomUUID()}`);
  const startedMs = performance.now();
  const child = start(args, { ...context, env: { ...context.env, BENCH_LAST_WORDS: lastWords } }, 'pipe');
  const stop = (): void => void child.stdin?.end();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    if (child.stdout === null) throw new Error('a child was started without a pipe');
    const [[code, killedBy], stdout] = await Promise.all([once(child, 'close'), text(child.stdout)]);
    const wallMs = performance.now() - startedMs;
    context.signal.throwIfAborted();
    if (!allowed.includes(code)) throw failed(args, code === null ? `signal ${killedBy}` : `code ${code}`, context);
    return { stdout, wallMs, usage: usageSchema.parse(JSON.parse(await readFile(lastWords, 'utf8'))) };
  } finally {
    context.signal.removeEventListener('abort', stop);
    stop();
    await rm(lastWords, { force: true });
  }
}

function failed(args: readonly string[], how: string, { logFile }: ProgramContext): ProgramFailedError {
  return new ProgramFailedError(`${args.join(' ')} ended with ${how}; its log, ${logFile}, ends:\n${tailOf(logFile)}`);
}

/**
 * Starts a server (`src/main.ts`) on a free port, which it reads from PORT, and waits until it answers. Its output
 * replaces the log.
 * @param isUp for a program that does not speak HTTP
 * @throws ProgramFailedError when it ends before that, or does not answer in time
 */
export async function startServer(
  args: readonly string[],
  context: ProgramContext,
  isUp: (url: string) => boolean | Promise<boolean> = answers,
): Promise<Server> {
  context.signal.throwIfAborted();
  const port = await choosePort(undefined);
  const log = openSync(context.logFile, 'w');
  const child = start(args, { ...context, env: { ...context.env, PORT: String(port), HOST: loopback } }, log);
  closeSync(log);
  const gone = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.stdin?.end();
    await gone;
  };
  const url = `http://${loopback}:${port}`;
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  try {
    const up = await until(async () => !running() || (await isUp(url)), { ...whenUp, signal: context.signal });
    if (!up || !running()) throw failed(args, 'no answer given', context);
  } catch (error) {
    await stop();
    throw error;
  }
  const asked = async (word: string): Promise<unknown> => {
    const answer = once(child, 'message', { signal: context.signal });
    child.send(word);
    return (await answer)[0];
  };
  return {
    url,
    usage: async () => usageSchema.parse(await asked('usage')),
    stop,
  };
}

const loopback = '127.0.0.1';
const whenUp = { timeoutMs: 20_000, everyMs: 20 };

export async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(5_000) })).arrayBuffer();
    return true;
  } catch {
    // Not listening yet. The caller has a deadline.
    return false;
  }
}

export function usedBetween(before: Usage, after: Usage): Usage {
  return {
    ...after,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  };
}
