import { type KindName, kindNames } from './kind.ts';

/** Returns the alias under which a kind is searched. The prefix lets several deployments share a cluster. */
export function aliasName(prefix: string, kind: KindName): string {
  return `${prefix}${kind}`;
}

/** Returns the index of one generation: `<prefix><kind>-<hash>-<number>`. */
export function generationName(prefix: string, kind: KindName, hash: string, number: number): string {
  return `${prefix}${kind}-${hash}-${number}`;
}

/**
 * Returns the alias through which an indexer writes to a generation. It never outlives the index, so that a late write
 * can't create one.
 */
export function writeAliasName(generation: string): string {
  return `${generation}-write`;
}

/** Returns the index of write markers, with one small document per generation. */
export function markerIndexName(generation: string, kind: KindName): string {
  return `${generation.slice(0, generation.lastIndexOf(`${kind}-`))}sync-markers`;
}

// Built from the names of kinds.
// nosemgrep: no-expressions-from-values
const generation = new RegExp(`(${kindNames.join('|')})-[0-9a-f]+-\\d+$`);

/** Returns the kind of a generation's index; null for other names. */
export function kindOfIndex(index: string): KindName | null {
  const name = generation.exec(index)?.[1];
  return kindNames.find((candidate) => candidate === name) ?? null;
}
