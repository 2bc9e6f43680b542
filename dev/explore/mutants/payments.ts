import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';

// Puts defects back into a copy of the source, one at a time, and lets the explorer look for them.

const root = join(import.meta.dirname, '..', '..', '..');
/** Within the project, so that what is imported from packages is found; git ignores it. */
const copies = join(root, '.local', 'mutants');

/** A mutant that does not fit the source any more. */
export class MisfitMutantError extends Error {
  constructor({ name }: Mutant, file: string, times: number) {
    super(`Mutant "${name}": what it replaces is found ${times} times in ${file}, instead of once.`);
    this.name = 'MisfitMutantError';
  }
}

const report = z.object({
  scenarios: z.array(
    z.object({
      findings: z.array(
        z.object({ failure: z.object({ kind: z.string(), message: z.string() }), story: z.string(), cost: z.number() }),
      ),
    }),
  ),
});

export interface MutantReport {
  /** The explorer's first finding, as `kind message`; null: nothing. */
  readonly found: string | null;
  readonly story: string;
  readonly seconds: number;
}

/**
 * Explores one mutant in a process of its own.
 * @param seconds for the exploration, without the start of the process
 * @throws MisfitMutantError, or an Error with what the process printed
 */
export async function exploreMutant(mutant: Mutant, seconds: number): Promise<MutantReport> {
  // One path for all mutants, so that Node's compile cache knows all files but the changed ones.
  const copy = join(copies, `payments-${process.pid}`);
  mkdirSync(copy, { recursive: true });
  try {
    for (const folder of ['src', 'dev/explore']) cpSync(join(root, folder), join(copy, folder), { recursive: true });
    applyEdits(mutant, copy);
    const begun = Date.now();
    const found = await explored(copy, mutant.scenario, seconds);
    return { ...found, seconds: (Date.now() - begun) / 1_000 };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Puts a defect into a copy of the source. @throws MisfitMutantError */
export function applyEdits(mutant: Mutant, copy: string): void {
  for (const { file, find, replace } of mutant.edits) {
    const path = join(copy, file);
    const parts = readFileSync(path, 'utf8').split(find);
    if (parts.length !== 2) throw new MisfitMutantError(mutant, file, parts.length - 1);
    writeFileSync(path, parts.join(replace));
  }
}

async function explored(copy: string, scenario: string, seconds: number): Promise<Omit<MutantReport, 'seconds'>> {
  const options = ['--seconds', `${seconds}`, '--walk-share', '0', '--first', '--json'];
  const main = join(copy, 'dev', 'explore', 'payments', 'main.ts');
  const child = spawn(process.execPath, [main, '--scenario', scenario, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Other programs have priority.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0 && code !== 1) throw new Error(`The explorer ended with code ${code}.\n${output}\n${errors}`);
  const [finding] = report.parse(JSON.parse(output)).scenarios.flatMap(({ findings }) => findings);
  if (finding === undefined) return { found: null, story: '' };
  return { found: `${finding.failure.kind} ${finding.failure.message}`, story: finding.story };
}
