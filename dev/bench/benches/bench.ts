import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import type { BenchSetup } from '../setup.ts';

/** Benches that share their subject's runs. */
export interface BenchGroup {
  readonly names: readonly BenchName[];
  /** Measures what is wanted of its names, a figure at a time. */
  run(setup: BenchSetup, wanted: ReadonlySet<BenchName>): AsyncIterable<Measured>;
}
