import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander';

/** Every bench, in the order in which `all` runs them: those of one size of data together, the largest data last. */
export const benchNames = [
  'bulk',
  'writers',
  'reindex',
  'feeder',
  'verify',
  'search',
  'search-latency',
  'search-cpu',
  'vectors-reindex',
  'vectors-search',
  'lag',
  'sync',
  'memory',
  'growth',
] as const;
export type BenchName = (typeof benchNames)[number];

export interface BenchOptions {
  readonly names: readonly BenchName[];
  /** Companies; undefined: each bench's own number. */
  readonly rows: number | undefined;
  readonly rounds: number;
  /** The seconds of load for each side of a round, in benches of throughput. */
  readonly seconds: number;
  /** A file of companies, or a folder with companies.ndjson; undefined: made-up ones. */
  readonly data: string | undefined;
  /** Another checkout of the project, whose benches run in turns with ours. */
  readonly base: string | undefined;
  /** A page whose generated part is replaced by the figures. */
  readonly report: string | undefined;
  readonly state: string;
}

/** A command line: benches to run, or an exit code for help and mistakes. */
export type BenchRequest =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'ended'; readonly exitCode: number };

const help = `
Each figure and its floor, the least work possible, are measured in turns within one run: A B A B … Compare ratios
between machines, not values. Figures are JSON lines on stdout. Explanations go to stderr.

NAME is 'all' or some of:
  name            subject                                              floor                  time
  bulk            100 records by id                                    the SQL alone           1 min
  writers         4 writers, with the change log                       without the log         1 min
  reindex         entity-search reindex companies                      replayed _bulk          4 min
  feeder          Postgres to _bulk bodies, discarded                  COPY … TO STDOUT        1 min
  verify          entity-search verify companies                       both scans              1 min
  search          searches a second, 16 connections, 20 keys           their requests          1 min
  search-latency  one search after another                             their requests          1 min
  search-cpu      CPU of Elasticsearch for a search                    a fuzzy multi_match     2 min
  vectors-reindex reindex with vectors of the local model              without                 6 min
  vectors-search  p95 of searches in everyday words                    without                 7 min
  lag             from a commit to its hit, at 300 changes a second    writes to the index     2 min
  sync            a backlog of 50,000 changes                          raw _bulk               2 min
  memory          peak of a reindex of 1,000,000 rows                  100,000 rows            9 min
  growth          10,000, 100,000 and 1,000,000 companies              the smallest            9 min
'all' takes 30 minutes on two cores. The first run takes another two for loading 200,000 companies, and up to 30 for
their vectors. Later runs reuse both.

Engines: DATABASE_URL and ELASTICSEARCH_URL if set, else Docker, else local ones. The benches use only databases named
bench_… and indices named bench-….

With --base, each bench runs in both checkouts in turns, on the same engines, and the floor is the other checkout.

Exit codes: 0 success, 1 failure or (with --base) a worse figure, 2 wrong usage, 130 interrupted.

Examples:
  $ npm run -s bench -- bulk                                  one minute, one figure
  $ npm run -s bench -- reindex --rows 20000                  a quick look
  $ npm run -s bench -- all > figures.ndjson                  everything
  $ npm run -s bench -- search bulk --base ../before          did my change cost anything?
  $ npm run -s bench -- search --data ./companies.ndjson      your own companies
  $ npm run -s bench -- all --report docs/performance/figures.md   the page of figures`;

type Flags = Omit<BenchOptions, 'names'>;

/** Exit code for a command line that can't be understood. */
export const usageCode = 2;

/** Reads a command line (without node and script). Help and complaints go to `write`. */
export function readWish(
  args: readonly string[],
  env: { readonly STATE?: string | undefined },
  write: (text: string) => void,
): BenchRequest {
  let wish: BenchRequest = { kind: 'ended', exitCode: usageCode };
  const program = new Command('bench')
    .description(
      "Measures each part of the project against its floor, and reports whether it meets the project's goal.",
    )
    .usage('NAME… [options]')
    .exitOverride()
    .showHelpAfterError('(add --help for all options)')
    .configureOutput({ writeOut: write, writeErr: write })
    .addArgument(new Argument('<NAME...>', "'all', or names from the list below").choices([...benchNames, 'all']))
    .option(
      '--rows <number>',
      'companies: 200,000 by default; memory and growth go up to 1,000,000',
      countOption(100, 2_000_000),
    )
    .option('--rounds <number>', 'how often each side is measured', countOption(1, 50), 3)
    .option('--seconds <number>', 'of load for each side of a round', countOption(1, 600), 5)
    .option('--data <path>', 'a file of companies (NDJSON), or a folder that holds companies.ndjson')
    .option(
      '--base <folder>',
      'compare with another checkout, of an earlier commit; exit code 1 if a figure got worse by a twentieth',
    )
    .option('--report <page>', 'the page to write figures into')
    .option('--state <folder>', 'where engines and data are kept', env.STATE || '.local/bench')
    .addHelpText('after', help)
    .action((names: readonly (BenchName | 'all')[], { rows, data, base, report, ...flags }: Flags) => {
      const chosen = benchNames.filter((name) => names.includes('all') || names.includes(name));
      wish = { kind: 'run', options: { ...flags, names: chosen, rows, data, base, report } };
    });
  try {
    program.parse(args, { from: 'user' });
    return wish;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'ended', exitCode: error.exitCode === 0 ? 0 : usageCode };
  }
}

function countOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}
