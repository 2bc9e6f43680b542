import { Command } from 'commander';
import { indexBounds } from '../../../src/config/indexer.ts';
import { countOption } from '../../lib/count-option.ts';
import type { Asked } from './plan.ts';

/** What `plan-capacity` was asked. */
export interface PlanOptions {
  readonly asked: Asked;
  /** Figures that it is computed from. */
  readonly file: string;
  readonly json: boolean;
}

const help = `
Rows are those of one kind, in one index. The answer names machines, shards, copies, processes, connections, memory,
disk, the growth of the change log and the hours of a rebuild; what breaks first; how well the simulation predicts the
benches; and each constant with the bench that measured it. It is computed from a file of figures, so measure your own
machine for your own answer. Nothing is started and no engine is asked.

Examples:
  $ npm run -s bench -- plan-capacity --rows 5000000 --changes 200 --searches 50
  $ npm run -s bench -- plan-capacity --rows 100000000 --changes 10000 --searches 5000 --shards 10 --kept 0
  $ npm run -s bench -- all --data ./companies.ndjson > mine.ndjson
  $ npm run -s bench -- plan-capacity --rows 20000000 --changes 500 --searches 300 --figures mine.ndjson --json`;

/** What is not asked for otherwise. */
export const planDefaults = {
  kept: 1,
  cores: 32,
  memoryGb: 128,
  p95Ms: 200,
  seed: 1,
  file: 'docs/performance/figures.ndjson',
} as const;

interface Flags {
  readonly rows: number;
  readonly changes: number;
  readonly searches: number;
  readonly shards?: number;
  readonly kept: number;
  readonly cores: number;
  readonly memory: number;
  readonly p95: number;
  readonly seed: number;
  readonly figures: string;
  readonly json: boolean;
}

/** The command `plan-capacity`. */
export function planCommand(onOptions: (options: PlanOptions) => void): Command {
  return new Command('plan-capacity')
    .description('says what so many rows, changes and searches need, by a simulation that replays measured times')
    .requiredOption('--rows <number>', 'of the kind', countOption(1_000, 1_000_000_000))
    .requiredOption('--changes <number>', 'a second', countOption(0, 100_000))
    .requiredOption('--searches <number>', 'a second', countOption(0, 100_000))
    .option('--shards <number>', 'by default as many as need the fewest machines', countOption(1, indexBounds.shards))
    .option(
      '--kept <number>',
      'earlier indices that are followed (GENERATIONS_KEPT)',
      countOption(0, 100),
      planDefaults.kept,
    )
    .option(
      '--cores <number>',
      'of a machine, each as fast as where the figures come from',
      countOption(1, 1_024),
      planDefaults.cores,
    )
    .option('--memory <gigabytes>', 'of a machine of Elasticsearch', countOption(1, 100_000), planDefaults.memoryGb)
    .option('--p95 <milliseconds>', 'that 19 of 20 searches may take', countOption(1, 60_000), planDefaults.p95Ms)
    .option('--seed <number>', 'the same seed gives the same answer', countOption(0, 999_999_999), planDefaults.seed)
    .option('--figures <file>', 'lines of JSON, as bench prints them', planDefaults.file)
    .option('--json', 'the answer as JSON', false)
    .addHelpText('after', help)
    .action(({ rows, changes, searches, shards, kept, cores, memory, p95, seed, figures, json }: Flags) => {
      const asked = {
        rows,
        changesPerSecond: changes,
        searchesPerSecond: searches,
        shards,
        kept,
        cores,
        memoryGb: memory,
        p95Ms: p95,
        seed,
      };
      onOptions({ asked, file: figures, json });
    });
}
