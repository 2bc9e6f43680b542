import { type KindName, kindNames } from './kind.ts';

/** The alias under which a kind is searched. The prefix lets several deployments share a cluster. */
export function aliasName(prefix: string, kind: KindName): string {
  return `${prefix}${kind}`;
}

/** The index of one generation: `<prefix><kind>-<hash>-<number>`. */
export function generationName(prefix: string, kind: KindName, hash: string, number: number): string {
  return `${prefix}${kind}-${hash}-${number}`;
}

/** The alias that an indexer writes a generation through; it never outlives the index, so nothing is made by accident. */
export function writeAliasName(generation: string): string {
  return `${generation}-write`;
}

/** The index with one small document a generation that counts the writes about to be made to it. */
export function markerIndexName(generation: string, kind: KindName): string {
  return `${generation.slice(0, generation.lastIndexOf(`${kind}-`))}sync-markers`;
}

// Made of the kinds' names.
// nosemgrep: no-expressions-from-values
const generation = new RegExp(`(${kindNames.join('|')})-[0-9a-f]+-\\d+$`);

/** The kind whose generation an index is; null for a name that is none. */
export function kindOfIndex(index: string): KindName | null {
  const name = generation.exec(index)?.[1];
  return kindNames.find((candidate) => candidate === name) ?? null;
}
