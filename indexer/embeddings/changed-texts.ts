import { type KindName, mapKinds } from '../../src/kinds/kind.ts';

/** Entities whose texts may have changed, as read from the change log. */
export class ChangedTexts {
  readonly #idsAtMost: number;
  readonly #ids = mapKinds(() => new Set<number>());
  readonly #whole = new Set<KindName>();

  /** @param idsAtMost ids remembered of each kind; beyond them the whole kind is scanned */
  constructor(idsAtMost: number) {
    this.#idsAtMost = idsAtMost;
  }

  /** Remembers entities; `all` if they are unknown. */
  note(kind: KindName, ids: readonly number[] | 'all'): void {
    const noted = this.#ids[kind];
    if (ids !== 'all') for (const id of ids) noted.add(id);
    if (ids !== 'all' && noted.size <= this.#idsAtMost) return;
    noted.clear();
    this.#whole.add(kind);
  }

  size(kind: KindName): number {
    return this.#ids[kind].size;
  }

  /** Removes and returns the earliest noted entities. */
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

  /** Begins a scan of the whole kind: entities noted from now on may need another. */
  beginWholeKind(kind: KindName): void {
    this.#whole.delete(kind);
  }
}

export interface TextObserver {
  readonly changedTexts?: Pick<ChangedTexts, 'note'> | undefined;
}
