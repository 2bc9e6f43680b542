import { join } from 'node:path';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';
import { root, runExplorer, withMutatedCopy } from './mutated-copy.ts';

const copied = ['src', 'cli', 'indexer', 'mappings', 'dev', 'package.json'];

const findings = z.object({
  findings: z.array(z.object({ kind: z.string(), message: z.string(), story: z.string() })),
});

/** The findings of a run of `npm run explore:index`, each as `kind message`. */
export interface Explored {
  readonly found: readonly string[];
  readonly stories: readonly string[];
  readonly log: string;
}

/** The options of the explorer, and the environment with the address of Elasticsearch. */
export interface ExploreRun {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export async function exploreIndex({ args, env }: ExploreRun, from = root): Promise<Explored> {
  const { out, log } = await runExplorer(join(from, 'dev', 'explore', 'index', 'main.ts'), args, env);
  const reported = findings.parse(JSON.parse(out.trim().split('\n').at(-1) ?? '')).findings;
  const found = reported.map(({ kind, message }) => `${kind} ${message}`);
  return { found, stories: reported.map(({ story }) => story), log };
}

/** A defect of the indexer, and the schedules that find it. */
export type IndexMutant = Mutant & {
  readonly seed: number;
  /** Only a real snapshot shows it: Elasticsearch needs a place for it (`path.repo`). */
  readonly needsSnapshots?: boolean;
};

export function indexMutant(
  name: string,
  [theme, seed]: readonly [theme: string, seed: number],
  found: string,
  edits: Mutant['edits'],
  options: Pick<IndexMutant, 'needsSnapshots'> = {},
): IndexMutant {
  return { name, scenario: theme, found, edits, seed, ...options };
}

/** Number of schedules to try, from the mutant's seed on. */
const runs = 5;

/** Explores one mutant in a process of its own, up to a number of seconds. @throws MisfitMutantError */
export async function exploreIndexMutant(
  mutant: IndexMutant,
  seconds: number,
  env: NodeJS.ProcessEnv,
): Promise<Explored> {
  const schedules = ['--theme', mutant.scenario, '--seed', `${mutant.seed}`, '--runs', `${runs}`];
  const args = [...schedules, '--seconds', `${seconds}`, '--first', '--no-shrink'];
  return withMutatedCopy(mutant, { explorer: 'index', copied }, (copy) => exploreIndex({ args, env }, copy));
}
