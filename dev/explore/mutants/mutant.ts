export interface Edit {
  readonly file: string;
  /** It stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A defect that is put back, and what tells of it. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly scenario: string;
  /** How the explorer's finding begins, as `kind message`. */
  readonly found: string;
}

/** A file of the payment code. */
export const payment = (name: string): string => `src/payments/${name}.ts`;
/** A file of the simulated world. */
export const simulated = (name: string): string => `dev/explore/payments/${name}.ts`;
