import { execFileSync } from 'node:child_process';
import { root } from './mutated-copy.ts';

export interface Rotation<Item> {
  readonly tried: readonly Item[];
  /** A new seed with each commit. */
  readonly seed: number;
}

/**
 * Picks every n-th item by the hash of the commit, so that all are tried within a few commits; all of them if
 * MUTANTS=all. Prints which part is tried.
 */
export function rotated<Item>(what: string, items: readonly Item[], parts: number): Rotation<Item> {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).slice(0, 8);
  const seed = Number.parseInt(commit, 16) % 1_000_000;
  if (process.env.MUTANTS === 'all') return { tried: items, seed };
  const part = seed % parts;
  const tried = items.filter((_, at) => at % parts === part);
  process.stderr.write(
    `${what}: ${tried.length} of ${items.length}, part ${part + 1} of ${parts} at commit ${commit}. MUTANTS=all tries all.\n`,
  );
  return { tried, seed };
}
