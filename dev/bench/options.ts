import { Argument, Command, CommanderError } from 'commander';
import { countOption } from '../lib/count-option.ts';
import { type PlanOptions, planCommand } from './capacity/options.ts';

/** Every bench, in the order in which `all` runs them: those of one size of data together, the largest data last. */
export const benchNames = [
  'start',
  'http',
  'bulk',
  'writers',
  'prune',
  'reindex',
  'reindex-helper',
  'feeder',
  'feeder-cpu',
  'analysis',
  'verify',
  'search',
  'search-latency',
  'mcp',
  'search-cpu',
  'search-js',
  'reindex-base',
  'index-base',
  'sync-base',
  'lag',
  'sync',
  'sync-parts',
  'memory',
  'growth',
  'transaction',
] as const;
export type BenchName = (typeof benchNames)[number];

/** What the command line asks for. */
export interface BenchOptions {
  readonly names: readonly BenchName[];
  /** Companies; undefined: each bench's own number. */
  readonly rows: number | undefined;
  readonly rounds: number;
  /** How long each side of a round is under load, where load is what is measured. */
  readonly seconds: number;
  /** A file of companies, or a folder with companies.ndjson; undefined: made-up ones. */
  readonly data: string | undefined;
  /** A file of earlier figures. */
  readonly compare: string | undefined;
  /** Another checkout of the project, to measure beside this one. */
  readonly base: string | undefined;
  readonly json: boolean;
  readonly state: string;
  readonly heapMb: number;
}

/** A wish of the command line: figures, pictures of figures, or a plan from figures. */
export type BenchRequest =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'plot'; readonly file: string; readonly directory: string }
  | { readonly kind: 'plan-capacity'; readonly options: PlanOptions }
  | { readonly kind: 'ended'; readonly exitCode: number };

const help = `
Each figure is measured beside its floor in the same run, in turn: A B A B … Compare ratios, not values: the machine
that ran it is in every line. Figures go to stdout, one line of JSON each; words for people go to stderr.

NAME is 'all' or some of:
  start           a new API process, until it answers                  beside a bare Koa         15 s
  http            unpaid 402, malformed key 401, health                beside a bare Koa          1 min
  bulk            100 records by id                                    beside the bare SQL        1 min
  writers         4 writers, with the change log                       beside the same without    1 min
  prune           50 entries of the change log for each company                                    3 min
  reindex         entity-search reindex companies                      beside replayed _bulk      4 min
  reindex-helper  entity-search reindex companies                      beside helpers.bulk        5 min
  feeder          Postgres to _bulk bodies, nothing behind them        beside COPY … TO STDOUT    1 min
  feeder-cpu      its CPU time                                         beside helpers.bulk        2 min
  analysis        raw _bulk into the index, without a part of it      beside the whole index     4 min
  verify          entity-search verify companies                       beside bare scans          1 min
  search          searches a second, 16 connections, 20 keys           beside the bare requests   1 min
  search-latency  one search after another                             beside the bare requests   1 min
  mcp             search_entities at /mcp, one after another           beside GET /api/v1/search  1 min
  search-cpu      CPU time of the API's process for a search           beside that of --base      2 min
  search-js       of it, time in JavaScript, by a profile              beside that of --base      2 min
  reindex-base    entity-search reindex companies                      beside that of --base      6 min
  index-base      bytes of the index it makes                          beside that of --base      6 min
  sync-base       a backlog of 50,000 changes                          beside that of --base      3 min
  lag             from commit to being found, at 300 changes a second  beside bare writes         2 min
  sync            a backlog of 50,000 changes                          beside raw _bulk           2 min
  sync-parts      the same by two processes, without Elasticsearch     beside one process         2 min
  memory          peak of a reindex of 1,000,000 rows                  beside 100,000             9 min
  growth          10,000, 100,000 and 1,000,000 companies              each beside the smallest   9 min
  transaction     sync killed inside a transaction of 1,000,000 rows                              10 min
'all' shares what it can: an hour on two cores. Loading 200,000 companies before the first bench takes another
minute or two; they stay in the state folder for the next run.

Engines: DATABASE_URL and ELASTICSEARCH_URL where set, else Docker, else local ones. Databases and indices there are
called bench_… and bench-…; nothing else is touched.

Exit codes: 0 done, 1 failed or (with --compare) something got worse, 2 wrong usage, 130 interrupted.

Examples:
  $ npm run -s bench -- http                                  one minute, three figures
  $ npm run -s bench -- reindex --rows 20000                  a quick look
  $ npm run -s bench -- all > before.ndjson                   everything
  $ npm run -s bench -- search bulk --compare before.ndjson   did my change cost anything?
  $ npm run -s bench -- search-cpu --base ../before           cheaper than the commit checked out there?
  $ npm run -s bench -- reindex-base --base ../before         does it load faster than that?
  $ npm run -s bench -- search --data ./companies.ndjson      your own companies
  $ npm run -s bench -- plot before.ndjson                    the curves, as docs/performance/*.svg
  $ npm run -s bench -- plan-capacity --help                  what so many rows, changes and searches would need`;

interface Flags extends Omit<BenchOptions, 'names' | 'heapMb'> {
  readonly heap: number;
}

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
    .description("Measures the project against what limits it, and says whether the project's goals are met.")
    .usage('NAME… [options] | plot FILE [--to DIR] | plan-capacity --rows N --changes N --searches N')
    // What follows the name of a subcommand is its own, such as --rows.
    .enablePositionalOptions()
    .addArgument(new Argument('<NAME...>', "'all', or names from the list below").choices([...benchNames, 'all']))
    .option(
      '--rows <number>',
      'companies: 200,000 by default; memory, growth and transaction go up to 1,000,000',
      countOption(100, 2_000_000),
    )
    .option('--rounds <number>', 'how often each side is measured', countOption(1, 50), 3)
    .option('--seconds <number>', 'of load for each side of a round', countOption(1, 600), 5)
    .option('--data <path>', 'a file of companies (NDJSON), or a folder that holds companies.ndjson')
    .option('--compare <file>', 'figures of an earlier run; exit code 1 where one got worse')
    .option('--base <folder>', 'another checkout, of an earlier commit, to measure beside this one')
    .option('--json', 'nothing but figures: no words for people', false)
    .option('--state <folder>', 'where engines and data are kept', env.STATE || '.local/bench')
    .option('--heap <megabytes>', 'for an Elasticsearch that is started here', countOption(256, 65_536), 1_024)
    .addHelpText('after', help)
    .action((names: readonly (BenchName | 'all')[], { heap, rows, data, compare, base, ...flags }: Flags) => {
      const chosen = benchNames.filter((name) => names.includes('all') || names.includes(name));
      wish = { kind: 'run', options: { ...flags, names: chosen, rows, data, compare, base, heapMb: heap } };
    });
  const plot = new Command('plot')
    .description('draws the curves that a file of figures holds, as SVG')
    .argument('<FILE>', 'lines of JSON, as bench prints them')
    .option('--to <folder>', 'where the pictures go', 'docs/performance')
    .action((file: string, { to }: { readonly to: string }) => {
      wish = { kind: 'plot', file, directory: to };
    });
  const plan = planCommand((options) => {
    wish = { kind: 'plan-capacity', options };
  });
  program.addCommand(plot, { hidden: true });
  program.addCommand(plan, { hidden: true });
  for (const command of [program, plot, plan]) {
    command.exitOverride().showHelpAfterError('(add --help for what is possible)');
    command.configureOutput({ writeOut: write, writeErr: write });
  }
  try {
    program.parse(args, { from: 'user' });
    return wish;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'ended', exitCode: error.exitCode === 0 ? 0 : usageCode };
  }
}
