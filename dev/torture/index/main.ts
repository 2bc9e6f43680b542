import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { startEngines } from '../../engines/engines.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { shutdownSignal } from '../../lib/graceful-shutdown.ts';
import { wholeNumber } from '../options.ts';
import { type Addresses, runToEnd } from './programs.ts';
import { type TortureReport, tortureRound } from './torture.ts';
import { seedRows } from './writers.ts';

interface Flags {
  readonly short?: boolean;
  readonly seed: number;
}

const usual = {
  short: { rounds: 4, rows: 2_000, seconds: 45, kills: 0, engineKills: 0, minutes: 10 },
  long: { rounds: 20, rows: 15_000, seconds: 90, kills: 100, engineKills: 10, minutes: 240 },
} as const;

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
  .addHelpText(
    'after',
    `
Without --short: 20 rounds of 90 seconds of writing on 4 times 15,000 rows, and more until sync and reindex were killed
100 times each, Postgres and Elasticsearch 10 times each. That takes one to four hours.
--short: up to 4 rounds of 45 seconds on 4 times 2,000 rows, in at most ten minutes.
Every second round also kills the engines. The last line on stdout is JSON with all figures.`,
  );

async function main(): Promise<number> {
  const flags = program.parse().opts<Flags>();
  const { rounds, rows, seconds, kills, engineKills, minutes } = flags.short ? usual.short : usual.long;
  const startMs = performance.now();
  const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const signal = shutdownSignal('the torture', process.env, printLine);
  const state = process.env.STATE || '.local/torture';
  // Always separate engines, because they are killed.
  const { DATABASE_URL: _, ELASTICSEARCH_URL: __, DOCKER_HOST: ___, ...env } = process.env;
  const engines = await startEngines({ state, env, printLine, fsync: false, keep: true, signal });
  try {
    const addresses = { DATABASE_URL: engines.postgres.url, ELASTICSEARCH_URL: engines.elasticsearch.url };
    const reports: TortureReport[] = [];
    const enough = (): boolean => hasKilled(reports, { kills, engineKills });
    let longestMs = 0;
    for (let round = 0; (round < rounds || !enough()) && !signal.aborted; round += 1) {
      const roundMs = performance.now();
      if (roundMs - startMs + longestMs > minutes * 60_000) break;
      const seed = flags.seed + round;
      const log = join(state, 'log', `torture-${seed}.log`);
      await begin(addresses, rows, log);
      const report = await tortureRound({
        engines,
        state: realpathSync(state),
        seed,
        rows,
        writeMs: seconds * 1_000,
        changesPerSecond: 300,
        killEngines: round % 2 === 1,
        log,
      });
      reports.push(report);
      printLine(
        `seed ${seed}: ${report.problem ?? 'equal'} ${JSON.stringify({ ...report, watched: report.watched.searches })}`,
      );
      if (report.problem !== undefined) break;
      longestMs = Math.max(longestMs, performance.now() - roundMs);
    }
    const summary = { ...summaryOf(flags.seed, reports), minutes: (performance.now() - startMs) / 60_000 };
    process.stdout.write(`${JSON.stringify({ ...summary, minutes: Math.round(summary.minutes * 10) / 10 })}\n`);
    if (!enough()) printLine('The time was over before everything was killed often enough.');
    return summary.rounds === 0 || summary.unequal > 0 || !enough() ? 1 : 0;
  } finally {
    await engines.stop();
  }
}

/** Fills empty tables and indexes them again, so that every round is separate. */
async function begin(addresses: Addresses, rows: number, log: string): Promise<void> {
  await runToEnd(['migrate'], addresses, log);
  await withClient(addresses.DATABASE_URL, async (client) => {
    await client.query('truncate companies, people, investors, events cascade');
    await seedRows(client, rows);
  });
  await runToEnd(['reindex', '--json'], addresses, log);
}

function hasKilled(
  reports: readonly TortureReport[],
  { kills, engineKills }: Readonly<Record<'kills' | 'engineKills', number>>,
): boolean {
  const sum = summaryOf(0, reports);
  return (
    Math.min(sum.killed_sync, sum.killed_reindex) >= kills &&
    Math.min(sum.killed_postgres, sum.killed_elasticsearch) >= engineKills
  );
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
