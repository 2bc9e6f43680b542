import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import type { BenchSetup } from '../setup.ts';

export interface BenchGroup {
  readonly names: readonly BenchName[];
  run(setup: BenchSetup, wanted: ReadonlySet<BenchName>): AsyncIterable<Measured>;
}
