import { type Random, random } from '../../sample/random.ts';
import type { JudgedQuery } from '../judgments.ts';
import type { Relevant } from './name-index.ts';

/** A query with what it should find. */
export interface Draft {
  readonly type: JudgedQuery['type'];
  readonly q: string;
  readonly eval: JudgedQuery['eval'];
  readonly relevant: Relevant;
  readonly universe?: string;
}

/** Gathers judged queries class by class: a seeded choice of all that a class can have. */
export class QueryCollector {
  readonly queries: JudgedQuery[] = [];
  readonly #seed: number;
  readonly #perClass: number;
  readonly #avoided: ReadonlySet<string>;

  /** @param avoid texts that are judged elsewhere; none of them is used here, of whatever type */
  constructor(seed: number, perClass: number, avoid: readonly string[]) {
    this.#seed = seed;
    this.#perClass = perClass;
    this.#avoided = new Set(avoid.map((text) => text.toLowerCase()));
  }

  /** Adds up to as many queries as a class has, each made from one of the sources; null makes none of it. */
  add<T>(name: string, sources: readonly T[], make: (source: T, random: Random) => Draft | null): void {
    const dice = random(`${this.#seed}|${name}`);
    const rest = [...sources];
    const texts = new Set<string>();
    while (texts.size < this.#perClass && rest.length > 0) {
      const [source] = rest.splice(dice.int(0, rest.length - 1), 1);
      const draft = source === undefined ? null : make(source, dice);
      if (draft === null || !this.#wanted(draft, texts)) continue;
      texts.add(draft.q.toLowerCase());
      this.queries.push({ qid: `${name}-${this.#seed}-${texts.size}`, class: name, ...draft });
    }
  }

  #wanted({ q, eval: judged, relevant }: Draft, texts: ReadonlySet<string>): boolean {
    const text = q.toLowerCase();
    if (this.#avoided.has(text) || texts.has(text)) return false;
    return judged === 'absent' || relevant.length > 0;
  }
}
