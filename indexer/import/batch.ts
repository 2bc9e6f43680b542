import type { KindImport, StagedLine } from './kinds/kind-import.ts';

/** Valid lines as rows of the staging tables, in JSON. */
export interface Batch {
  readonly rows: number;
  readonly entities: string;
  /** One text per relation table of the kind. */
  readonly relations: readonly string[];
}

/** Gathers lines into a batch until it holds enough rows or bytes. */
export class BatchBuilder {
  readonly #kindImport: KindImport;
  readonly #limits: { readonly batchRows: number; readonly batchBytes: number };
  #entities: object[] = [];
  #relations: object[][] = [];
  #bytes = 0;

  constructor(kindImport: KindImport, limits: { readonly batchRows: number; readonly batchBytes: number }) {
    this.#kindImport = kindImport;
    this.#limits = limits;
    this.take();
  }

  get isEmpty(): boolean {
    return this.#entities.length === 0;
  }

  get isFull(): boolean {
    return this.#entities.length >= this.#limits.batchRows || this.#bytes >= this.#limits.batchBytes;
  }

  add({ id, values, relations }: StagedLine, line: number, bytes: number): void {
    this.#bytes += bytes;
    this.#entities.push({ line, ...values });
    for (const [at, { owner }] of this.#kindImport.relations.entries()) {
      relations[at]?.forEach((row, position) => {
        this.#relations[at]?.push({ line, [owner]: id, position, ...row });
      });
    }
  }

  /** Returns the batch so far and starts the next. */
  take(): Batch {
    const [entities, relations] = [this.#entities, this.#relations];
    [this.#entities, this.#relations, this.#bytes] = [[], this.#kindImport.relations.map(() => []), 0];
    return {
      rows: entities.length,
      entities: JSON.stringify(entities),
      relations: relations.map((rows) => JSON.stringify(rows)),
    };
  }
}
