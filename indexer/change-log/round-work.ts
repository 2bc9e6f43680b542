import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { type Change, readChanges } from '../changes.ts';
import { wantedBy } from '../dependants.ts';
import { leadsOn, type ReaderState, snapshotBefore } from '../positions.ts';
import type { RowChunk } from '../rows.ts';
import { readAllDocuments, readDocuments } from '../write/documents.ts';
import { findLeftDocuments } from '../write/left-documents.ts';

/** What a round reads with, and its limits. */
export interface RoundWorkDeps {
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly nowMs: () => number;
  readonly limits: RoundWorkLimits;
}

export interface RoundWorkLimits {
  /** Entries read at a time. */
  readonly chunkSize: number;
  /** In a long round the position moves on about so often. */
  readonly stepMs: number;
  readonly requestTimeoutMs: number;
}

/** Ids remembered as applied within one round, so that a row that changes often is read once. */
const maxRemembered = 200_000;

/** The chunks of one round, and what was met while they were made. */
export class RoundWork {
  readonly #deps: RoundWorkDeps;
  readonly #state: ReaderState;
  readonly #signal: AbortSignal;
  readonly #applied = new Set<number>();
  readonly #entries: AsyncGenerator<readonly Change[], void, undefined>;
  #first: IteratorResult<readonly Change[], void> | undefined;
  #everything = false;
  #ended = false;
  #reached: string;
  changes = 0;
  truncated = false;
  swept = false;

  constructor(deps: RoundWorkDeps, state: ReaderState, signal: AbortSignal) {
    this.#deps = deps;
    this.#state = state;
    this.#signal = signal;
    this.#reached = state.position;
    const { kind, position, present } = state;
    const { chunkSize } = deps.limits;
    this.#entries = readChanges(deps.pool, { reader: kind, from: position, to: present, chunkSize });
  }

  /** All that is to be applied was given out. */
  get ended(): boolean {
    return this.#ended;
  }

  /** While not ended: a position, all of which was given out. */
  get reached(): string {
    return this.#reached;
  }

  /** Whether there is anything to do. To be asked before the first step. */
  async hasAny(): Promise<boolean> {
    this.#first = await this.#entries.next();
    return !this.#first.done || this.#state.sweepDue;
  }

  /** The chunks until the position may be moved on, or the round's end. To be called again until `ended`. */
  async *step(): AsyncGenerator<RowChunk, void, undefined> {
    const { pool, limits, nowMs } = this.#deps;
    const state = this.#state;
    const untilMs = nowMs() + limits.stepMs;
    for (;;) {
      const next = this.#first ?? (await this.#entries.next());
      this.#first = undefined;
      if (next.done) break;
      const entries = next.value;
      this.changes += entries.length;
      const wanted = wantedBy(state.kind, entries);
      this.truncated ||= wanted.sweep;
      this.#everything ||= wanted.everything;
      yield* this.#documents(wanted.ids);
      for (const { sql, ids } of wanted.expansions) yield* this.#documents(await dependantsOf(pool, sql, ids));
      // The last transaction may have more entries. What concerns the whole kind is done at the end.
      const last = entries.at(-1)?.xid ?? '0';
      if (nowMs() < untilMs || this.truncated || this.#everything || !leadsOn(this.#reached, last)) continue;
      this.#reached = snapshotBefore(state.present, last);
      return;
    }
    if (this.#everything) yield* this.#allDocuments();
    if (this.truncated || state.sweepDue) {
      yield* findLeftDocuments({ ...this.#deps, timeoutMs: limits.requestTimeoutMs }, state);
      this.swept = true;
    }
    this.#ended = true;
  }

  /** A document that was read in this round is as young as any entry of it asks for. */
  async *#documents(ids: readonly number[]): AsyncGenerator<RowChunk, void, undefined> {
    const fresh = ids.filter((id) => !this.#applied.has(id));
    if (this.#applied.size + fresh.length > maxRemembered) this.#applied.clear();
    for (const id of fresh) this.#applied.add(id);
    for await (const chunk of readDocuments(this.#deps.pool, this.#state, fresh)) {
      this.#signal.throwIfAborted();
      yield chunk;
    }
  }

  #allDocuments(): AsyncGenerator<RowChunk, void, undefined> {
    return readAllDocuments(this.#deps.pool, this.#state, { afterId: 0, signal: this.#signal });
  }
}

async function dependantsOf(pool: pg.Pool, sql: string, ids: readonly number[]): Promise<readonly number[]> {
  const { rows } = await pool.query<[number]>({ text: sql, values: [ids], rowMode: 'array' });
  return rows.map(([id]) => id);
}
