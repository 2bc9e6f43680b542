import { copyRow } from './copy-text.ts';
import type { KindImport, StagedLine } from './kinds/kind-import.ts';

/** Valid lines as COPY text. */
export interface Batch {
  readonly rows: number;
  readonly entities: string;
  /** One text per relation table of the kind. */
  readonly relations: readonly string[];
}

/** Gathers lines into a batch until it holds enough rows or bytes. */
export class BatchBuilder {
  readonly #limits: { readonly batchRows: number; readonly batchBytes: number };
  #entities: string[] = [];
  #relations: string[][];
  #bytes = 0;

  constructor(kindImport: KindImport, limits: { readonly batchRows: number; readonly batchBytes: number }) {
    this.#limits = limits;
    this.#relations = kindImport.relations.map(() => []);
  }

  get isEmpty(): boolean {
    return this.#entities.length === 0;
  }

  get isFull(): boolean {
    return this.#entities.length >= this.#limits.batchRows || this.#bytes >= this.#limits.batchBytes;
  }

  add(line: StagedLine, lineNumber: number, lineBytes: number): void {
    this.#entities.push(copyRow([lineNumber, ...line.values]));
    this.#bytes += lineBytes;
    line.relations.forEach((rows, at) => {
      rows.forEach((texts, position) => {
        this.#relations[at]?.push(copyRow([lineNumber, line.id, position, ...texts]));
      });
    });
  }

  /** Returns the batch so far and starts the next. */
  take(): Batch {
    const batch = {
      rows: this.#entities.length,
      entities: this.#entities.join(''),
      relations: this.#relations.map((rows) => rows.join('')),
    };
    this.#entities = [];
    this.#relations = this.#relations.map(() => []);
    this.#bytes = 0;
    return batch;
  }
}
