import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Changes, withApiLimits } from '../../../dev/lib/limits.ts';
import type { Config } from '../../../src/config/api.ts';

const root = join(import.meta.dirname, '..', '..', '..');

export interface ApiProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly log: Record<string, unknown>[];
  /** The address at which it listens. Rejects if it ends before. */
  readonly url: Promise<string>;
  /** Its exit code and what it wrote on stderr. */
  readonly ended: Promise<{ readonly code: number | null; readonly words: string }>;
}

/** On a busy machine, healthy engines may take long. */
export const patientLimits: Changes<Config> = {
  postgres: { connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 },
  keys: { lookupTimeoutMs: 60_000 },
  limits: { timeoutMs: 60_000 },
  search: { timeoutMs: 60_000 },
  lag: { timeoutMs: 60_000 },
  load: { waitMs: 60_000, stallMs: 60_000 },
  health: { quickTimeoutMs: 60_000, detailedTimeoutMs: 60_000 },
};

/** Adds the patience to an environment, in which LIMITS wins. */
export function patientEnv(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return withApiLimits({ ...given, LIMITS: JSON.stringify(patientLimits) }, JSON.parse(given.LIMITS ?? '{}'));
}

interface ProcessOptions {
  /** False if its answers are not checked against the OpenAPI document, for which each is copied. */
  readonly checked?: boolean;
  /** True if it runs `src/main.ts`, which ignores LIMITS. */
  readonly isMain?: boolean;
}

/**
 * Starts the API as a separate process on a free port, with only the given variables. LIMITS shortens limits; without
 * it, the process waits patiently for its engines.
 */
export function startApiProcess(
  given: Readonly<Record<string, string>>,
  { checked = true, isMain = false }: ProcessOptions = {},
): ApiProcess {
  const check = checked ? ['--import', './test/support/api/checked-process.ts'] : [];
  const program = isMain ? 'src/main.ts' : 'dev/lib/limited-api.ts';
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--trace-warnings', ...check, program], {
    cwd: root,
    env: { PATH, NODE_COMPILE_CACHE, PORT: '0', ...patientEnv(given) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  const listening = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const entry = JSON.parse(line) as Record<string, unknown>;
    log.push(entry);
    if (entry.msg === 'listening') listening.resolve(`http://127.0.0.1:${entry.port}`);
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, words }));
  ended.then(() => listening.reject(new Error(`The API ended before it listened: ${words}`)));
  // A caller that awaits it sees the rejection; without one, the process must not end.
  listening.promise.catch(() => undefined);
  return {
    child,
    log,
    url: listening.promise,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      expect(words.match(/^not as documented: .*$/gm)).toBeNull();
      // Warnings such as too many listeners on one object, which is a leak.
      expect(words.match(/^\(node:\d+\) \w*Warning: .*(?:\n +at .*)*/gm)).toBeNull();
    },
  };
}
