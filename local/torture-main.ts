import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { startEngines } from './engines.ts';
import { lifetimeOf } from './lifetime.ts';
import { startProgram } from './torture/programs.ts';
import { type TortureReport, tortureRound } from './torture/torture.ts';
import { seedRows } from './torture/writers.ts';

interface Flags {
  readonly short?: boolean;
  readonly seed: number;
  readonly rows?: number;
  readonly rounds?: number;
  readonly seconds?: number;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

const program = new Command('torture')
  .description(
    'Writers, reindexes, syncs and kills of everything, and a comparison after each round; exit code 1 on any inequality.',
  )
  .option('--short', 'a few rounds, within ten minutes')
  .option(
    '--seed <number>',
    'of the first round; the others follow',
    wholeNumber,
    Math.floor(Math.random() * 1_000_000),
  )
  .option('--rows <number>', 'rows of each kind', wholeNumber)
  .option('--rounds <number>', 'rounds', wholeNumber)
  .option('--seconds <number>', 'seconds of writing in a round', wholeNumber);

async function main(): Promise<number> {
  const flags = program.parse().opts<Flags>();
  const rounds = flags.rounds ?? (flags.short ? 4 : 20);
  const rows = flags.rows ?? (flags.short ? 2_000 : 15_000);
  const writeMs = 1_000 * (flags.seconds ?? (flags.short ? 45 : 90));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const signal = lifetimeOf('the torture', process.env, say);
  const state = process.env.STATE || '.local/torture';
  // Always engines of its own: they are killed.
  const { DATABASE_URL: _, ELASTICSEARCH_URL: __, DOCKER_HOST: ___, ...env } = process.env;
  const engines = await startEngines({ state, env, say, fsync: false, keep: true, signal });
  try {
    const addresses = { DATABASE_URL: engines.postgres.url, ELASTICSEARCH_URL: engines.elasticsearch.url };
    const reports: TortureReport[] = [];
    for (let round = 0; round < rounds && !signal.aborted; round += 1) {
      const seed = flags.seed + round;
      const log = join(state, 'log', `torture-${seed}.log`);
      await begin(addresses, rows, log);
      const report = await tortureRound({
        engines,
        state: realpathSync(state),
        seed,
        rows,
        writeMs,
        changesPerSecond: 300,
        killEngines: round % 2 === 1,
        log,
      });
      reports.push(report);
      say(
        `seed ${seed}: ${report.problem ?? 'equal'} ${JSON.stringify({ ...report, watched: report.watched.searches })}`,
      );
      if (report.problem !== undefined) break;
    }
    process.stdout.write(`${JSON.stringify(summaryOf(flags.seed, reports))}\n`);
    return reports.some(({ problem }) => problem !== undefined) ? 1 : 0;
  } finally {
    await engines.stop();
  }
}

/** Empty tables are filled and indexed anew: every round stands for itself. */
async function begin(addresses: { readonly DATABASE_URL: string }, rows: number, log: string): Promise<void> {
  const run = async (...args: readonly string[]): Promise<void> => {
    const code = await startProgram(args, { ...addresses }, log).ended;
    if (code !== 0) throw new Error(`entity-search ${args.join(' ')} ended with code ${code}; see ${log}.`);
  };
  await run('migrate');
  const client = new pg.Client({ connectionString: addresses.DATABASE_URL });
  await client.connect();
  try {
    await client.query('truncate companies, people, investors, events cascade');
    await seedRows(client, rows);
  } finally {
    await client.end();
  }
  await run('reindex', '--json');
}

function summaryOf(seed: number, reports: readonly TortureReport[]) {
  const sum = (count: (report: TortureReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  const equal = reports.flatMap(({ equalAfterMs }) => equalAfterMs ?? []);
  return {
    seed,
    rounds: reports.length,
    unequal: sum(({ problem }) => (problem === undefined ? 0 : 1)),
    commits: sum(({ writers }) => writers.commits),
    rollbacks: sum(({ writers }) => writers.rollbacks),
    reindexes: sum(({ reindexes }) => reindexes),
    killed_sync: sum(({ kills }) => kills.sync),
    killed_reindex: sum(({ kills }) => kills.reindex),
    killed_postgres: sum(({ kills }) => kills.postgres),
    killed_elasticsearch: sum(({ kills }) => kills.elasticsearch),
    searches: sum(({ watched }) => watched.searches),
    failed_searches: sum(({ watched }) => watched.failures.length),
    slowest_equality_seconds: Math.round(Math.max(0, ...equal) / 100) / 10,
  };
}

process.exitCode = await main();
