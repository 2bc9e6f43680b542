import type { KindName } from '../../src/kinds/kind.ts';
import type { Round } from '../change-log/reader.ts';
import type { GenerationState, LoadCounts, ReindexRules } from '../generations/model.ts';
import type { ReindexContext } from './load.ts';

export interface ReindexObserver {
  onStart(kind: KindName, index: string, totalRows: number): void;
  onState(kind: KindName, state: GenerationState): void;
  onProgress(kind: KindName, progress: LoadCounts): void;
  /** During the catch-up with changes written during the load. */
  onRound(kind: KindName, round: Round): void;
  /** Reports an unusual event in a sentence. */
  onNote(kind: KindName, text: string): void;
}

export interface ReindexDeps extends ReindexContext {
  readonly indexPrefix: string;
  /** Name of the lock's connection, which shows others the holder. */
  readonly applicationName: string;
  readonly rules: ReindexRules;
  readonly takeOver?: boolean;
  readonly mode: ReindexMode;
  readonly observer: ReindexObserver;
}

/**
 * The treatment of an interrupted earlier run: `anew` removes it and begins again, `resume` continues it, `abort`
 * removes it and ends.
 */
export type ReindexMode = 'anew' | 'resume' | 'abort';
