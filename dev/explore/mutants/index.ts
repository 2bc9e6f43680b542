import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';
import { applyEdits } from './payments.ts';

// Puts defects back into a copy of the indexer, one at a time, and lets the model look for them on real engines.

const root = join(import.meta.dirname, '..', '..', '..');
const copied = ['src', 'cli', 'indexer', 'mappings', 'dev', 'package.json'];

const findings = z.object({
  findings: z.array(z.object({ kind: z.string(), message: z.string(), story: z.string(), seconds: z.number() })),
});

/** The findings of a run of `npm run explore:index`, each as `kind message`. */
export interface Explored {
  readonly found: readonly string[];
  readonly stories: readonly string[];
  /** Its output. */
  readonly log: string;
}

/** The options of the explorer, and the environment with the address of Elasticsearch. */
export interface ExploreRun {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Runs `npm run explore:index` from this source, or from a copy of it. Throws what it printed where it broke. */
export async function exploreIndex({ args, env }: ExploreRun, from = root): Promise<Explored> {
  const child = spawn(process.execPath, [join(from, 'dev', 'explore', 'index', 'main.ts'), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Other programs have priority.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [code, out, log] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (out === '' || (code !== 0 && code !== 1))
    throw new Error(`The explorer ended with code ${code}.\n${out}\n${log}`);
  const told = findings.parse(JSON.parse(out.trim().split('\n').at(-1) ?? '')).findings;
  return { found: told.map(({ kind, message }) => `${kind} ${message}`), stories: told.map(({ story }) => story), log };
}

/** A defect of the indexer, and the schedules that find it. */
export type IndexMutant = Mutant & {
  readonly seed: number;
  /** Only a real snapshot shows it: Elasticsearch has to have a place for one (`path.repo`). */
  readonly needsSnapshots?: boolean;
};

/** Number of schedules to try, from the mutant's seed on. */
const runs = 5;

/** Explores one mutant in a process of its own, up to a number of seconds. @throws MisfitMutantError */
export async function exploreIndexMutant(
  mutant: IndexMutant,
  seconds: number,
  env: NodeJS.ProcessEnv,
): Promise<Explored> {
  // One path for all mutants, so that Node's compile cache knows all files but the changed ones.
  const copy = join(root, '.local', 'mutants', `index-${process.pid}`);
  mkdirSync(copy, { recursive: true });
  try {
    for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
    applyEdits(mutant, copy);
    const options = [
      '--theme',
      mutant.scenario,
      '--seed',
      `${mutant.seed}`,
      '--runs',
      `${runs}`,
      '--seconds',
      `${seconds}`,
    ];
    return await exploreIndex({ args: [...options, '--first', '--no-shrink'], env }, copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
