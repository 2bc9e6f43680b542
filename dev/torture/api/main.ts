import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { startEngines } from '../../engines/engines.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { createTestAccount } from '../../lib/api-accounts.ts';
import { shutdownSignal } from '../../lib/graceful-shutdown.ts';
import { type Addresses, runToEnd } from '../index/programs.ts';
import { seedRows } from '../index/writers.ts';
import { wholeNumber } from '../options.ts';
import { type ApiTortureReport, tortureApi } from './torture.ts';

interface Flags {
  readonly short?: boolean;
  readonly seed: number;
}

const rows = 300;

const program = new Command('torture:api')
  .description('Everything that can break is broken under three API processes; exit code 1 on any wrong answer.')
  .option('--short', 'everything once, within ten minutes')
  .option('--seed <number>', 'of the order and the traffic', wholeNumber, Math.floor(Math.random() * 1_000_000));

async function main(): Promise<number> {
  const flags = program.parse().opts<Flags>();
  const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const signal = shutdownSignal('the torture', process.env, printLine);
  const state = process.env.STATE || '.local/torture-api';
  rmSync(state, { recursive: true, force: true });
  // Always separate engines, because they are killed. With fsync, because everything that Postgres acknowledged must
  // survive.
  const { DATABASE_URL: _, ELASTICSEARCH_URL: __, DOCKER_HOST: ___, ...env } = process.env;
  const engines = await startEngines({ state, env, printLine, fsync: true, keep: true, signal });
  try {
    const logFile = (name: string): string => join(realpathSync(state), 'log', `${name}.log`);
    const account = await begin(
      { DATABASE_URL: engines.postgres.url, ELASTICSEARCH_URL: engines.elasticsearch.url },
      logFile('prepare'),
    );
    const report = await tortureApi({
      engines,
      state: realpathSync(state),
      seed: flags.seed,
      passes: flags.short ? 1 : 5,
      rows,
      ...account,
      logFile,
      printLine,
      signal,
    });
    for (const problem of report.problems) printLine(`problem: ${problem}`);
    process.stdout.write(`${JSON.stringify(summaryOf(flags.seed, report))}\n`);
    return report.problems.length > 0 || report.faults === 0 ? 1 : 0;
  } finally {
    await engines.stop();
  }
}

async function begin(addresses: Addresses, log: string) {
  await runToEnd(['migrate'], addresses, log);
  const account = await withClient(addresses.DATABASE_URL, async (client) => {
    await seedRows(client, rows);
    const { key: probeKey } = await createTestAccount(client, 'probes', 10_000_000);
    return { ...(await createTestAccount(client, 'torture', 10_000_000)), probeKey };
  });
  await runToEnd(['reindex', '--json'], addresses, log);
  return account;
}

function summaryOf(seed: number, report: ApiTortureReport) {
  const { traffic, buyers } = report;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    seed,
    faults: report.faults,
    problems: report.problems.length,
    requests: traffic.requests,
    right: traffic.right,
    excused: traffic.excused,
    lost: traffic.lost,
    payments_signed: sum(buyers.map(({ signed }) => signed)),
    payments_served: sum(buyers.map(({ served }) => served)),
    payments_refused: sum(buyers.map(({ refused }) => refused)),
  };
}

process.exitCode = await main();
