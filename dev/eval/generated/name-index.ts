import type { KindName } from '../../../src/kinds/kind.ts';
import { wordsOf } from '../../../src/search/vocabulary/vocabulary.ts';
import type { JudgedQuery } from '../judgments.ts';
import type { Entity } from './entities.ts';

export type Relevant = JudgedQuery['relevant'];

/** Letters and digits of a text, lower case and without accents: what is left of a name however it is written. */
export function keyOf(text: string): string {
  return wordsOf(text).join('');
}

/** Looks entities up by what they are called. */
export class NameIndex {
  readonly all: readonly Entity[];
  readonly #byKey = new Map<string, Entity[]>();

  constructor(all: readonly Entity[]) {
    this.all = all;
    for (const entity of all) {
      for (const key of new Set(entity.names.map(keyOf))) this.#byKey.set(key, [...this.called(key), entity]);
    }
  }

  of(kind: KindName): Entity[] {
    return this.all.filter((entity) => entity.kind === kind);
  }

  /** All that have the name, however it is written. */
  called(name: string): readonly Entity[] {
    return this.#byKey.get(keyOf(name)) ?? [];
  }

  /** Whether a name differs from the text by at most so many letters. */
  near(text: string, edits: number): boolean {
    const key = keyOf(text);
    return [...this.#byKey.keys()].some(
      (other) => Math.abs(other.length - key.length) <= edits && distance(other, key) <= edits,
    );
  }

  /** Those called so, and behind them those whose names contain it as whole words. */
  judgeName(name: string, type: JudgedQuery['type']): Relevant {
    const isOfType = (entity: Entity): boolean => type === 'all' || entity.kind === type;
    const exact = this.called(name).filter(isOfType);
    const words = ` ${wordsOf(name).join(' ')} `;
    const around = this.all.filter(
      (entity) =>
        isOfType(entity) &&
        !exact.includes(entity) &&
        entity.names.some((other) => ` ${wordsOf(other).join(' ')} `.includes(words)),
    );
    return [...graded(exact, 3), ...(type === 'all' ? [] : graded(around, 1))];
  }
}

export function graded(entities: readonly Entity[], grade: number): Relevant {
  return entities.map(({ kind, id, name }) => ({ kind, id, name, grade }));
}

/** How many letters must be changed, added, left out or swapped with the next to make one text of the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
