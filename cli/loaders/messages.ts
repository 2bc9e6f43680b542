import type { Limits } from '../../indexer/limits.ts';
import type { Environment } from '../../src/config/settings.ts';
import type { KindName } from '../../src/kinds/kind.ts';

// What a reindex and its threads tell each other.

export interface LoaderData {
  readonly env: Environment;
  readonly limits: Limits;
  readonly kinds: readonly KindName[];
  /** For people: program, host, process and which of its threads. */
  readonly name: string;
}

export interface LoaderOrder {
  readonly type: 'stop';
}

export interface LoaderMessage {
  readonly type: 'trouble';
  /** In a sentence. */
  readonly text: string;
}
