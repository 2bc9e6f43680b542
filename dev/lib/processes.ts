import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The options for starting a child: arguments are passed as they are, without a shell. */
export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The file for the child's output, which is emptied first. */
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
}

/** A child in its own session, which ends when its standard input is closed. */
export interface Child {
  readonly pid: number;
  readonly exited: Promise<string>;
  running(): boolean;
  /** Closes the child's input and waits. Kills its whole group after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** One process, distinguished from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/**
 * Starts a child that the terminal's Ctrl-C does not reach, because we drain before we stop it. If this process dies in
 * any way, the child sees the end of its standard input.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const log = openSync(options.logFile, 'w', 0o600);
  try {
    const child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      detached: true,
      stdio: ['pipe', log, log],
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    });
    const exited = exitOf(child);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return handleOf(child, exited);
  } finally {
    closeSync(log);
  }
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}

function handleOf(child: ChildProcess, exited: Promise<string>): Child {
  const pid = child.pid ?? 0;
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  // If the child has ended, closing its input fails with EPIPE. Its exit has the reason.
  child.stdin?.on('error', () => undefined);
  return {
    pid,
    exited,
    running,
    async stop(graceMs) {
      child.stdin?.end();
      if (running() && !(await settledWithin(exited, graceMs))) signalProcess(-pid, 'SIGKILL');
      if (running()) await exited;
    },
  };
}

/** A busy machine takes long to start an engine. */
const startTimeoutMs = 90_000;

/** The name of a child in messages, and the time that it may take to start and to stop. */
interface Readiness {
  readonly name: string;
  readonly isReady: () => Promise<boolean>;
  /** By default, 90 s. */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  readonly graceMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Starts a child and waits until it is ready. Throws with the end of its log if it ends or takes too long. */
export async function startReady(options: ChildOptions, readiness: Readiness): Promise<Child> {
  const { name, isReady, timeoutMs = startTimeoutMs, graceMs } = readiness;
  const child = await startChild(options);
  try {
    const isOver = await until(async () => !child.running() || (await isReady()), { ...readiness, timeoutMs });
    if (isOver && child.running()) return child;
    const reason = child.running() ? `was not ready within ${timeoutMs / 1_000} s` : `ended (${await child.exited})`;
    throw new Error(`${name} ${reason}. Its log, ${options.logFile}, ends:\n${tailOf(options.logFile, 25)}`);
  } catch (error) {
    await child.stop(graceMs);
    throw error;
  }
}

/** Returns true if the address answers with a status of success. */
export async function isAnswered(
  url: string,
  { timeoutMs = 2_000, headers = {} }: { readonly timeoutMs?: number; readonly headers?: Record<string, string> } = {},
): Promise<boolean> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // No process listens yet. Callers have a deadline.
    return false;
  }
}

/**
 * Returns a shell command for a program that does not watch its standard input. The shell sends it the signal when the
 * shell's own input ends, because we closed it or died.
 */
export function supervised(command: string, args: readonly string[], signal: 'INT' | 'TERM' = 'INT') {
  const script = `
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
{ read -r _ <&3; kill -${signal} "$server"; } 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`;
  return { command: '/bin/sh', args: ['-c', script, 'sh', command, ...args] };
}

/** Sends a signal. A process that no longer exists is ignored. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Returns the identity of a process, which a later one with the same number lacks; undefined if there is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.started === identity.started;
}

/** Finds the running processes of a program whose working directory is `dir` (a real path), without a pid file. */
export function findProcessesIn(dir: string, program: 'postgres' | 'java'): readonly number[] {
  if (process.platform !== 'linux') return findByPs(dir, program);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => linkOf(`/proc/${name}/cwd`) === dir && basename(linkOf(`/proc/${name}/exe`) ?? '') === program)
    .map(Number);
}

/**
 * Ends processes that an earlier, killed run left behind: asks them first, and kills them after `graceMs`. Looks them
 * up again each time, so that a recycled number is never hit.
 */
export async function stopOrphans(
  find: () => readonly number[],
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<number> {
  const found = find();
  for (const pid of found) signalProcess(pid, signal);
  if (await until(() => find().length === 0, { timeoutMs: graceMs })) return found.length;
  for (const pid of find()) signalProcess(pid, 'SIGKILL');
  if (await until(() => find().length === 0, { timeoutMs: 5_000 })) return found.length;
  throw new Error(`Processes ${find().join(', ')} of an earlier run do not end; end them and start again.`);
}

/** Checks a condition until it holds. Returns false after the timeout; throws if the signal is aborted. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  options: { readonly timeoutMs: number; readonly everyMs?: number; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await delay(options.everyMs ?? 50);
  }
}

/** Returns true if the error has this code, even if it is from another realm. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

/** Returns the end of a log, to show with an error. */
export function tailOf(file: string, lines = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}

async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      promise.then(() => true),
      delay(ms, false, { signal: timer.signal }).catch(() => false),
    ]);
  } finally {
    timer.abort();
  }
}

function startedOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything. The state and 18 more fields up to the start time follow it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : `${bootId()}:${fields[19]}`;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

/** Start times count from boot, so the identity includes the boot. */
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function startedByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch (error) {
    // ps reports "no such process" with status 1. Other errors, such as a missing ps, are reported.
    if (typeof error === 'object' && error !== null && 'status' in error && error.status === 1) return undefined;
    throw error;
  }
}

function findByPs(dir: string, program: string): readonly number[] {
  const list = execFileSync('ps', ['-Ao', 'pid=,command='], { encoding: 'utf8' });
  return list
    .split('\n')
    .filter((line) => line.includes(dir) && line.trim().split(/\s+/)[1]?.endsWith(program))
    .map((line) => Number.parseInt(line, 10));
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // The process has ended, is a kernel thread, or belongs to another user, so it is not ours.
    return undefined;
  }
}
