export interface Edit {
  readonly file: string;
  /** It occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A defect that is put back, and the finding that reveals it. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly scenario: string;
  /** The start of the explorer's finding, as `kind message`. */
  readonly found: string;
}

/** A file of the payment code. */
export const payment = (name: string): string => `src/payments/${name}.ts`;
/** A file of the simulated world. */
export const simulated = (name: string): string => `dev/explore/payments/${name}.ts`;
