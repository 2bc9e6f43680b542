import { isAnswered, startChild, startReady } from '../lib/processes.ts';

export interface RunningApi extends RunningProgram {
  readonly url: string;
  readonly pid: number;
}

const startTimeoutMs = 20_000;
const stopGraceMs = 6_000;

/** Starts the API and waits until it is healthy. Throws with the end of its log if it does not start. */
export async function startApi(options: {
  readonly port: number;
  readonly logFile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}): Promise<RunningApi> {
  const url = `http://127.0.0.1:${options.port}`;
  const program = options.env.LIMITS === undefined ? 'src/main.ts' : 'dev/lib/limited-api.ts';
  const child = await startReady(
    {
      command: process.execPath,
      args: ['dev/lib/exit-with-parent.ts', program],
      cwd: process.cwd(),
      logFile: options.logFile,
      env: { ...process.env, ...options.env, HOST: '127.0.0.1', PORT: String(options.port) },
    },
    {
      name: 'The API',
      isReady: () => isAnswered(`${url}/api/health`),
      timeoutMs: startTimeoutMs,
      graceMs: stopGraceMs,
      signal: options.signal,
    },
  );
  return { url, pid: child.pid, exited: child.exited, stop: () => child.stop(stopGraceMs) };
}

export interface RunningProgram {
  /** Settles when the process has ended for any reason. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/** Starts `entity-search sync`. From now on, changes in Postgres are searchable about a second later. */
export async function startSync(options: {
  readonly logFile: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<RunningProgram> {
  const child = await startChild({
    command: process.execPath,
    args: ['dev/lib/exit-with-parent.ts', 'cli/main.ts', 'sync'],
    cwd: process.cwd(),
    logFile: options.logFile,
    env: { ...process.env, ...options.env },
  });
  return { exited: child.exited, stop: () => child.stop(stopGraceMs) };
}
