import type { TextObserver } from '../embeddings/changed-texts.ts';
import { readAllDocuments } from '../read/read-all.ts';
import { type DocumentChunk, readDocuments } from '../read/read-by-id.ts';
import type { WriteContext, WriteLimits } from '../write/write-context.ts';
import { affectedDocuments, dependantPages, type ScannedChanges, scanChanges } from './changes.ts';
import { findOrphanedDocuments } from './orphaned-documents.ts';
import type { Advance, Progress, ReaderState } from './positions.ts';

export interface RoundLimits {
  readonly chunkSize: number;
  /** The time between two steps of the position in a long round. */
  readonly stepMs: number;
}

type RoundContext = WriteContext<WriteLimits & { readonly reader: RoundLimits }> & TextObserver;

/** An empty lookup that takes longer than this moves the position: it scanned uncommitted entries. */
const lookedAgainMs = 200;

/** Ids remembered as applied within one round, so that a row that changes often is read once. */
const maxRemembered = 200_000;

export class RoundDocuments {
  readonly #context: RoundContext;
  readonly #state: ReaderState;
  readonly #signal: AbortSignal;
  readonly #applied = new Set<number>();
  readonly #entries: AsyncGenerator<ScannedChanges, void, undefined>;
  /** The snapshot that the round brings into the index: that of an interrupted round, otherwise the present. */
  readonly to: string;
  #everything = false;
  ended = false;
  changes = 0;
  /** Until the end: the progress up to which everything was yielded. */
  #reached: Progress | null;
  #firstLookMs: number | undefined;
  #truncated = false;
  #orphanSearchDone = false;

  constructor(context: RoundContext, state: ReaderState, signal: AbortSignal) {
    this.#context = context;
    this.#state = state;
    this.#signal = signal;
    const { kind, position, progress } = state;
    this.#reached = progress;
    this.to = progress?.to ?? state.present;
    const { chunkSize } = context.config.reader;
    const span = { reader: kind, from: position, to: this.to, after: progress?.place, chunkSize };
    this.#entries = scanChanges(context.pool, span);
  }

  /** True if this round completes an interrupted one, which ends before the present. */
  get resumed(): boolean {
    return this.#state.progress !== null;
  }

  /** The reader's position once everything that was yielded is acknowledged. */
  get outcome(): Omit<Advance, 'changes' | 'keepMs'> {
    if (this.ended) {
      const { to } = this;
      return { to, progress: null, orphanSearchAgain: this.#truncated, orphanSearchDone: this.#orphanSearchDone };
    }
    const { position: to } = this.#state;
    return { to, progress: this.#reached, orphanSearchAgain: false, orphanSearchDone: false };
  }

  /** True if repeating the lookup costs less than storing that it was done. */
  get isNegligible(): boolean {
    const didNothing = this.changes === 0 && !this.#orphanSearchDone && !this.resumed;
    return this.ended && didNothing && (this.#firstLookMs ?? 0) < lookedAgainMs;
  }

  /** Yields the chunks up to the next place for a progress, or to the round's end. Must be called again until `ended`. */
  async *step(): AsyncGenerator<DocumentChunk, void, undefined> {
    const { config, nowMs } = this.#context;
    const state = this.#state;
    const untilMs = nowMs() + config.reader.stepMs;
    for (;;) {
      const next = await this.#nextEntries();
      if (next.done) break;
      this.#signal.throwIfAborted();
      yield* this.#chunk(next.value);
      // Changes of the whole kind are applied at the end, so the round cannot be resumed beyond them.
      if (nowMs() < untilMs || this.#truncated || this.#everything) continue;
      this.#reached = { to: this.to, place: next.value.place };
      return;
    }
    if (this.#everything) yield* readAllDocuments(this.#context.pool, state, { afterId: 0, signal: this.#signal });
    if (this.#truncated || state.orphanSearchDue) {
      yield* findOrphanedDocuments(this.#context, state);
      this.#orphanSearchDone = true;
    }
    this.ended = true;
  }

  async #nextEntries(): Promise<IteratorResult<ScannedChanges, void>> {
    const startMs = this.#context.nowMs();
    const next = await this.#entries.next();
    this.#firstLookMs ??= this.#context.nowMs() - startMs;
    return next;
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

  /** Usually reads each document once per round, because every read is newer than all entries of the round. */
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
