// Several processes follow one index: its documents are divided by a hash of their ids (`search_part`), and each part
// has a position of its own in search_reader_parts.

/** Which documents of an index a reader follows: those of the parts `held`, from 0 up, of so many. */
export interface ReaderParts {
  readonly of: number;
  readonly held: readonly number[];
}

/** All of an index, by one reader. */
export const wholeIndex: ReaderParts = { of: 1, held: [0] };

/** The parts as a statement's argument: null where all documents are meant. */
export function heldOrAll({ of, held }: ReaderParts): readonly number[] | null {
  return held.length === of ? null : held;
}

/** An index is divided into another number of parts by now. */
export class PartsChangedError extends Error {
  constructor(of: number, now: number) {
    super(`Readers of the change log divide an index into ${now} parts, no longer into ${of}.`);
    this.name = 'PartsChangedError';
  }
}
