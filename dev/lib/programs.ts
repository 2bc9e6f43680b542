import { type ChildProcess, spawn } from 'node:child_process';

export interface ProgramContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed';
}

/**
 * Runs `entity-search ARGS…` to its end. Its progress and messages go to our stderr. It also ends if this process dies.
 * @returns its exit code and its output on stdout
 * @throws ProgramFailed for an exit code that is not in `allowed`
 */
export async function runEntitySearch(
  args: readonly string[],
  context: ProgramContext,
  allowed: readonly number[] = [0],
): Promise<{ readonly code: number; readonly stdout: string }> {
  const child = spawn(process.execPath, ['dev/lib/exit-with-parent.ts', 'cli/main.ts', ...args], {
    env: { ...process.env, ...context.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closeInput = (): void => void child.stdin?.end();
  context.signal.addEventListener('abort', closeInput, { once: true });
  if (context.signal.aborted) closeInput();
  child.stdin?.on('error', () => undefined);
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  try {
    const code = await exitOf(child);
    context.signal.throwIfAborted();
    if (!allowed.includes(code)) throw new ProgramFailed(`entity-search ${args.join(' ')} ended with code ${code}.`);
    return { code, stdout };
  } finally {
    context.signal.removeEventListener('abort', closeInput);
    closeInput();
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
