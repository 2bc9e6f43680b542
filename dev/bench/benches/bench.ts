import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import type { Stage } from '../environment.ts';

/** Benches that share their subject's runs. */
export interface BenchGroup {
  readonly names: readonly BenchName[];
  /** Measures what is wanted of its names, a figure at a time. */
  run(stage: Stage, wanted: ReadonlySet<BenchName>): AsyncIterable<Measured>;
}
