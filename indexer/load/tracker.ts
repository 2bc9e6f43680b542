import type { BatchItem } from '../write/batches.ts';
import type { ClaimedPart, PartPoint } from './parts.ts';

/**
 * Follows how far each claimed part is acknowledged. A batch may hold the end of one part and the beginning of the next,
 * and batches may end in any order; those of one part were begun in ascending id.
 */
export class PartTracker {
  readonly #parts = new Map<number, TrackedPart>();
  #last: TrackedPart | undefined;

  open(part: ClaimedPart): void {
    this.#parts.set(part.part, new TrackedPart(part));
  }

  /** Rows of a part that were read; the unreadable ones become dead letters without being sent. */
  read(part: number, rows: ReadRows): void {
    this.#parts.get(part)?.read(rows);
  }

  /** All rows of it were read; the last of them may still wait in a batch that is not full. */
  endReading(part: number): void {
    this.#parts.get(part)?.endReading();
  }

  /** Answers what to call when the batch is acknowledged. */
  begin(items: readonly BatchItem[]): () => void {
    const acknowledge: (() => void)[] = [];
    let from = 0;
    items.forEach((item, at) => {
      const part = this.#partOf(item.id);
      const next = items[at + 1];
      if (next !== undefined && part.holds(next.id)) return;
      acknowledge.push(part.begin(items.slice(from, at + 1)));
      from = at + 1;
    });
    return () => {
      for (const tell of acknowledge) tell();
    };
  }

  /** How far each part is, as it may be saved. */
  points(): readonly PartPoint[] {
    return [...this.#parts.values()].map((part) => part.point());
  }

  /** Notes what was saved; parts that are done are forgotten. */
  keep(points: readonly PartPoint[]): void {
    for (const point of points) {
      if (point.done) this.#parts.delete(point.part);
      else this.#parts.get(point.part)?.keep(point);
    }
  }

  /** Of the parts at hand: what is acknowledged, whether or not it could be saved as yet. */
  settled(): Amount {
    return sumOf([...this.#parts.values()].map((part) => part.settled));
  }

  /** Of the same parts: what is saved. */
  saved(): Amount {
    return sumOf([...this.#parts.values()].map((part) => part.saved));
  }

  #partOf(id: number): TrackedPart {
    if (this.#last?.holds(id)) return this.#last;
    const found = [...this.#parts.values()].find((part) => part.holds(id));
    if (found === undefined) throw new Error(`The document ${id} belongs to no part that is being loaded.`);
    this.#last = found;
    return found;
  }
}

interface ReadRows {
  readonly documents: number;
  readonly unreadable: number;
}

interface Amount {
  readonly rows: number;
  readonly bytes: number;
}

function sumOf(amounts: readonly Amount[]): Amount {
  return amounts.reduce((sum, one) => ({ rows: sum.rows + one.rows, bytes: sum.bytes + one.bytes }), {
    rows: 0,
    bytes: 0,
  });
}

interface BatchMark {
  readonly rows: number;
  readonly bytes: number;
  readonly lastId: number;
  done: boolean;
}

class TrackedPart {
  readonly #part: ClaimedPart;
  readonly #open: BatchMark[] = [];
  #reached: { resumeId: number; rows: number; bytes: number };
  #skipped = 0;
  /** Documents that were read and are in no batch that was begun. */
  #waiting = 0;
  #isRead = false;
  settled: Amount;
  saved: Amount;

  constructor(part: ClaimedPart) {
    this.#part = part;
    this.#reached = { resumeId: part.resumeId, rows: part.rows, bytes: part.bytes };
    this.settled = { rows: part.rows, bytes: part.bytes };
    this.saved = this.settled;
  }

  holds(id: number): boolean {
    return id > this.#part.afterId && id <= this.#part.upToId;
  }

  /** Unreadable rows count with the next batch of this part, or with its end. */
  read({ documents, unreadable }: ReadRows): void {
    this.#waiting += documents;
    this.#skipped += unreadable;
    this.settled = { ...this.settled, rows: this.settled.rows + unreadable };
  }

  endReading(): void {
    this.#isRead = true;
  }

  begin(items: readonly BatchItem[]): () => void {
    const [first, last] = [items[0], items.at(-1)];
    const bytes = first === undefined || last === undefined ? 0 : last.end - first.start;
    const lastId = last?.id ?? this.#reached.resumeId;
    const mark: BatchMark = { rows: items.length + this.#skipped, bytes, lastId, done: false };
    this.#skipped = 0;
    this.#waiting -= items.length;
    this.#open.push(mark);
    return () => {
      mark.done = true;
      this.settled = { rows: this.settled.rows + items.length, bytes: this.settled.bytes + bytes };
      this.#advance();
    };
  }

  keep({ rows, bytes }: PartPoint): void {
    this.saved = { rows, bytes };
  }

  point(): PartPoint {
    const { part } = this.#part;
    const { resumeId, rows, bytes } = this.#reached;
    const done = this.#isRead && this.#waiting === 0 && this.#open.length === 0;
    return done ? { part, resumeId, rows: rows + this.#skipped, bytes, done } : { part, resumeId, rows, bytes, done };
  }

  #advance(): void {
    for (let first = this.#open[0]; first?.done; first = this.#open[0]) {
      this.#open.shift();
      const { rows, bytes } = this.#reached;
      this.#reached = { resumeId: first.lastId, rows: rows + first.rows, bytes: bytes + first.bytes };
    }
  }
}
