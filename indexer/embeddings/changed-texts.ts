import { type KindName, mapKinds } from '../../src/kinds/kind.ts';

/** Entities whose texts may have changed, as readers of the change log come upon them. */
export class ChangedTexts {
  readonly #idsAtMost: number;
  readonly #ids = mapKinds(() => new Set<number>());
  readonly #whole = new Set<KindName>();

  /** @param idsAtMost ids remembered of each kind; beyond them the whole kind is scanned */
  constructor(idsAtMost: number) {
    this.#idsAtMost = idsAtMost;
  }

  /** Remembers entities; `all`: it is not known which. */
  note(kind: KindName, ids: readonly number[] | 'all'): void {
    const noted = this.#ids[kind];
    if (ids !== 'all') for (const id of ids) noted.add(id);
    if (ids !== 'all' && noted.size <= this.#idsAtMost) return;
    noted.clear();
    this.#whole.add(kind);
  }

  /** Returns the number of remembered ids of a kind. */
  size(kind: KindName): number {
    return this.#ids[kind].size;
  }

  /** Gives out the entities that were noted first. */
  take(kind: KindName, atMost: number): readonly number[] {
    const noted = this.#ids[kind];
    const taken: number[] = [];
    for (const id of noted) {
      if (taken.length === atMost) break;
      taken.push(id);
      noted.delete(id);
    }
    return taken;
  }

  isWholeKindDue(kind: KindName): boolean {
    return this.#whole.has(kind);
  }

  /** A scan of the whole kind begins: what is noted from now on may come after it. */
  beginWholeKind(kind: KindName): void {
    this.#whole.delete(kind);
  }
}

/** The side that notes changes. */
export interface TextObserver {
  /** Notes entities whose texts may have changed. */
  readonly changedTexts?: Pick<ChangedTexts, 'note'> | undefined;
}
