// The data of the API reference page, for the renderer on the server and for the browser.

/** A field of a body or an answer. Fields of an object follow it with a larger depth. */
export interface DocsField {
  readonly name: string;
  readonly depth: number;
  /** Such as `string[]`. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

export interface DocsParameter extends DocsField {
  readonly where: 'path' | 'query' | 'header';
  readonly example: string | null;
}

interface DocsContent {
  readonly fields: readonly DocsField[];
  /** JSON; null if there is no example. */
  readonly example: string | null;
}

interface DocsError {
  readonly status: number;
  /** The code and its meaning. */
  readonly text: string;
}

export interface DocsOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly needsKey: boolean;
  readonly parameters: readonly DocsParameter[];
  readonly body: DocsContent | null;
  readonly answer: DocsContent;
  readonly errors: readonly DocsError[];
}

/** Texts are in the Markdown of the OpenAPI document. */
export interface DocsPage {
  readonly name: 'docs';
  readonly title: string;
  readonly description: string;
  readonly groups: readonly {
    readonly name: string;
    readonly description: string;
    readonly operations: readonly DocsOperation[];
  }[];
  /** Errors of all operations. */
  readonly errors: readonly DocsError[];
}
