import type { LocalModel } from './models.ts';

/** What the thread of a model is started with. */
export interface ThreadData {
  readonly model: LocalModel;
  /** The folder of its files. */
  readonly modelPath: string;
  /** Whether all else on the machine comes first. */
  readonly isBackground: boolean;
}

/** A text to be embedded. One at a time: the next one is sent when there is an answer. */
export interface TextMessage {
  readonly text: string;
  readonly tokensMax: number;
}

/** What the thread is told. After `stop` it ends by itself, once it is done with the text that it has. */
export type ThreadOrder = { readonly type: 'embed'; readonly message: TextMessage } | { readonly type: 'stop' };

/** What the thread says: once that it can begin or why it can't, then an answer for each text. */
export type ThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'unusable'; readonly message: string }
  | { readonly type: 'vector'; readonly vector: Float32Array }
  | { readonly type: 'failed'; readonly message: string };
