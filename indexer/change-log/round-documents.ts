import { readAhead } from '../../src/lib/concurrency/read-ahead.ts';
import type { TextObserver } from '../embeddings/changed-texts.ts';
import { readAllDocuments } from '../read/read-all.ts';
import { type DocumentChunk, readDocuments } from '../read/read-by-id.ts';
import type { WriteContext, WriteLimits } from '../write/write-context.ts';
import { affectedDocuments, dependantPages, type ScannedChanges, scanChanges } from './changes.ts';
import { findOrphanedDocuments } from './orphaned-documents.ts';
import { type Advance, advancesPosition, type Progress, type ReaderState, snapshotBefore } from './positions.ts';

export interface RoundLimits {
  /** Entries read at a time. */
  readonly chunkSize: number;
  /** In a long round the position moves on about so often. */
  readonly stepMs: number;
}

type RoundContext = WriteContext<WriteLimits & { readonly reader: RoundLimits }> & TextObserver;

interface RoundOptions {
  readonly signal: AbortSignal;
  /** Awaited for some chunks at a time, after their rows were read and before they are given out. */
  readonly beforeWriting: () => Promise<void>;
}

/** A look that found nothing and took longer is not made again from the same place: it went past what is not committed. */
const lookedAgainMs = 200;

/** What is read, in characters, while the write marker of earlier chunks is counted up. */
const ahead = {
  room: 2_097_152,
  sizeOf: ({ documents }: DocumentChunk) => documents.reduce((sum, [, text]) => sum + text.length, 0),
};

/** Ids remembered as applied within one round, so that a row that changes often is read once. */
const maxRemembered = 200_000;

/** The chunks of one round, and what was met while they were made. */
export class RoundDocuments {
  readonly #context: RoundContext;
  readonly #state: ReaderState;
  readonly #signal: AbortSignal;
  readonly #beforeWriting: () => Promise<void>;
  readonly #applied = new Set<number>();
  readonly #entries: AsyncGenerator<ScannedChanges, void, undefined>;
  /** What the round is to bring into the index: what an earlier one was on its way to, else the present. */
  readonly to: string;
  #first: IteratorResult<ScannedChanges, void> | undefined;
  #everything = false;
  /** All that is to be applied was given out. */
  ended = false;
  /** Entries that were to be applied. */
  changes = 0;
  /** While not ended: a position, all of which was given out, and what was given out beyond it. */
  #reached: { readonly position: string; readonly progress: Progress | null };
  /** What the first look took. */
  #firstLookMs = 0;
  #truncated = false;
  #orphanSearchDone = false;

  constructor(context: RoundContext, state: ReaderState, options: RoundOptions) {
    this.#context = context;
    this.#state = state;
    this.#signal = options.signal;
    this.#beforeWriting = options.beforeWriting;
    const { kind, position, progress } = state;
    this.#reached = { position, progress };
    this.to = progress?.to ?? state.present;
    const { chunkSize } = context.config.reader;
    const span = { reader: kind, from: position, to: this.to, after: progress?.place, chunkSize };
    this.#entries = scanChanges(context.pool, span);
  }

  /** An earlier round was interrupted, and this one ends where that was to end: at a moment before the present. */
  get resumed(): boolean {
    return this.#state.progress !== null;
  }

  /** Where the reader stands when all that was given out is acknowledged. */
  get outcome(): Omit<Advance, 'changes' | 'keepMs'> {
    if (this.ended) {
      const { to } = this;
      return { to, progress: null, orphanSearchAgain: this.#truncated, orphanSearchDone: this.#orphanSearchDone };
    }
    const { position, progress } = this.#reached;
    return { to: position, progress, orphanSearchAgain: false, orphanSearchDone: false };
  }

  /** Whether looking again from the same place costs less than noting that this was done. */
  get isNegligible(): boolean {
    const didNothing = this.changes === 0 && !this.#orphanSearchDone && !this.resumed;
    return this.ended && didNothing && this.#firstLookMs < lookedAgainMs;
  }

  /** Whether the first look found anything to do. To be asked before the first step. */
  async hasAny(): Promise<boolean> {
    const { nowMs } = this.#context;
    const startMs = nowMs();
    this.#first = await this.#entries.next();
    this.#firstLookMs = nowMs() - startMs;
    return (!this.#first.done && this.#first.value.changes.length > 0) || this.#state.orphanSearchDue;
  }

  /** The chunks until the position or the progress may be moved on, or the round's end. To be called again until `ended`. */
  async *step(): AsyncGenerator<DocumentChunk, void, undefined> {
    for await (const chunks of readAhead(this.#step(), ahead)) {
      await this.#beforeWriting();
      yield* chunks;
    }
  }

  async *#step(): AsyncGenerator<DocumentChunk, void, undefined> {
    const { config, nowMs } = this.#context;
    const state = this.#state;
    const untilMs = nowMs() + config.reader.stepMs;
    for (;;) {
      const next = this.#first ?? (await this.#entries.next());
      this.#first = undefined;
      if (next.done) break;
      this.#signal.throwIfAborted();
      yield* this.#chunk(next.value);
      // What concerns the whole kind is done at the end, so until then the round can't be resumed beyond it.
      if (nowMs() < untilMs || this.#truncated || this.#everything) continue;
      const { place } = next.value;
      // The last transaction may have more entries; it is not part of the position yet.
      const { position } = this.#reached;
      this.#reached = {
        position: advancesPosition(position, place.xid) ? snapshotBefore(this.to, place.xid) : position,
        progress: { to: this.to, place },
      };
      return;
    }
    if (this.#everything) yield* readAllDocuments(this.#context.pool, state, { afterId: 0, signal: this.#signal });
    if (this.#truncated || state.orphanSearchDue) {
      yield* findOrphanedDocuments(this.#context, state);
      this.#orphanSearchDone = true;
    }
    this.ended = true;
  }

  async *#chunk({ changes }: ScannedChanges): AsyncGenerator<DocumentChunk, void, undefined> {
    this.changes += changes.length;
    const wanted = affectedDocuments(this.#state, changes);
    this.#truncated ||= wanted.truncated;
    this.#everything ||= wanted.everything;
    const texts = wanted.ids.filter((id) => !wanted.vectorsOnly.has(id));
    this.#noteTexts(wanted.truncated || wanted.everything ? 'all' : texts);
    yield* this.#documents(wanted.ids);
    for await (const page of dependantPages(this.#context.pool, wanted.lookups)) {
      this.#noteTexts(page);
      yield* this.#documents(page);
    }
  }

  #noteTexts(ids: readonly number[] | 'all'): void {
    this.#context.changedTexts?.note(this.#state.kind, ids);
  }

  /** A document that was read in this round is as young as any entry of it asks for. */
  async *#documents(ids: readonly number[]): AsyncGenerator<DocumentChunk, void, undefined> {
    const fresh = ids.filter((id) => !this.#applied.has(id));
    if (this.#applied.size + fresh.length > maxRemembered) this.#applied.clear();
    for (const id of fresh) this.#applied.add(id);
    for await (const chunk of readDocuments(this.#context.pool, this.#state, fresh)) {
      this.#signal.throwIfAborted();
      yield chunk;
    }
  }
}
