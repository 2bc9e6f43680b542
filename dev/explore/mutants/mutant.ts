/** A replacement in a file. The text to find occurs exactly once. */
type Edit = readonly [file: string, find: string, replace: string];

/** A defect that is put back, and the finding that reveals it. */
export interface Mutant {
  readonly name: string;
  readonly scenario: string;
  /** The start of the explorer's finding, as `kind message`. */
  readonly found: string;
  readonly edits: readonly Edit[];
}

/** A defect of the payment code. */
export interface PaymentMutant extends Mutant {
  /** The least cost of a schedule that reveals it. */
  readonly budget: number;
}

export function mutant(
  name: string,
  scenario: string,
  budget: number,
  found: string,
  edits: readonly Edit[],
): PaymentMutant {
  return { name, scenario, budget, found, edits };
}

/** A file of the payment code. */
export const payment = (name: string): string => `src/payments/${name}.ts`;
/** A file of the simulated world. */
export const simulated = (name: string): string => `dev/explore/payments/${name}.ts`;
