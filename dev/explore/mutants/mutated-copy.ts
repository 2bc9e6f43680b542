import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Mutant } from './mutant.ts';

// Puts defects back into a copy of the source, one at a time, and lets an explorer search for them.

export const root = join(import.meta.dirname, '..', '..', '..');

export class MisfitMutantError extends Error {
  constructor({ name }: Mutant, file: string, times: number) {
    super(`Mutant "${name}": what it replaces is found ${times} times in ${file}, instead of once.`);
    this.name = 'MisfitMutantError';
  }
}

export async function withMutatedCopy<Result>(
  mutant: Mutant,
  { explorer, copied }: { readonly explorer: string; readonly copied: readonly string[] },
  use: (copy: string) => Promise<Result>,
): Promise<Result> {
  const copy = makeFolder(explorer);
  try {
    for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
    for (const [file, find, replace] of mutant.edits) {
      const path = join(copy, file);
      const parts = readFileSync(path, 'utf8').split(find);
      if (parts.length !== 2) throw new MisfitMutantError(mutant, file, parts.length - 1);
      writeFileSync(path, parts.join(replace));
    }
    return await use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Returns a new folder, with the same path in each run, so that Node's compile cache knows all files but the changed
 * ones. It is within the project, so that packages are found; git ignores it.
 */
function makeFolder(explorer: string): string {
  for (let number = 1; ; number += 1) {
    const folder = join(root, '.local', 'mutants', `${explorer}-${number}`);
    // Another process may use the first ones.
    if (mkdirSync(folder, { recursive: true }) !== undefined) return folder;
  }
}

/** Runs an explorer to its end. Throws its output if it fails other than by findings. */
export async function runExplorer(
  main: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly out: string; readonly log: string }> {
  const child = spawn(process.execPath, [main, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [code, out, log] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (out !== '' && (code === 0 || code === 1)) return { out, log };
  throw new Error(`The explorer ended with code ${code}.\n${out}\n${log}`);
}
