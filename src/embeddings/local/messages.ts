import type { LocalModel } from './models.ts';

/** Data for starting the thread of a model. */
export interface ThreadData {
  readonly model: LocalModel;
  /** Folder of the model's files. */
  readonly modelPath: string;
  /** True if the thread has a lower priority than other threads. */
  readonly isBackground: boolean;
}

/** A text to embed. The next one is sent after its answer. */
export interface TextMessage {
  readonly text: string;
  readonly tokensMax: number;
}

/** An order to the thread. After `stop` it finishes its text and ends. */
export type ThreadOrder = { readonly type: 'embed'; readonly message: TextMessage } | { readonly type: 'stop' };

/** A message of the thread: `ready` or `unusable` at its start, then an answer for each text. */
export type ThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'unusable'; readonly message: string }
  | { readonly type: 'vector'; readonly vector: Float32Array }
  | { readonly type: 'failed'; readonly message: string };
