import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';

/** A running `entity-search`, which can be killed at any time. */
export interface Program {
  readonly args: readonly string[];
  readonly ended: Promise<number | null>;
  running(): boolean;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

/** The addresses of both engines, as the environment of programs. */
export type Addresses = Readonly<Record<'DATABASE_URL' | 'ELASTICSEARCH_URL', string>>;

/** Starts `entity-search`. Its output is appended to the log. */
export function startProgram(args: readonly string[], env: Readonly<Record<string, string>>, log: string): Program {
  const program = env.LIMITS === undefined ? 'cli/main.ts' : 'dev/lib/limited-cli.ts';
  const child: ChildProcess = spawn(process.execPath, ['dev/lib/exit-with-parent.ts', program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group, so that a kill reaches the program and not only its wrapper.
    detached: true,
  });
  const file: WriteStream = createWriteStream(log, { flags: 'a' });
  child.stdin?.on('error', () => undefined);
  child.stdout?.pipe(file, { end: false });
  child.stderr?.pipe(file, { end: false });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      file.end();
      resolve(code);
    });
  });
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    args,
    ended,
    running,
    async kill() {
      if (running() && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
    async stop() {
      child.stdin?.end();
      return ended;
    },
  };
}

/** Runs `entity-search` to its end. Throws if its exit code is not 0. */
export async function runToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  log: string,
): Promise<void> {
  const code = await startProgram(args, env, log).ended;
  if (code !== 0) throw new Error(`entity-search ${args.join(' ')} ended with code ${code}; see ${log}.`);
}
