import { styleText } from 'node:util';
import { Command } from 'commander';
import pg from 'pg';
import { changeLogLimits } from '../../indexer/change-log/config.ts';
import { databaseConfig, elasticsearchConfig } from '../../indexer/config.ts';
import { type ExitCode, exitCodes } from '../../indexer/exit-codes.ts';
import { readConfig } from '../../src/config/api.ts';
import { configuredNetwork } from '../../src/config/payments.ts';
import { poolSizes } from '../../src/config/pool-sizes.ts';
import { type Environment, SettingsError } from '../../src/config/settings.ts';
import type { Cluster } from '../../src/elasticsearch/admin.ts';
import { createElasticsearchClient } from '../../src/elasticsearch/client.ts';
import { clientConfig } from '../../src/postgres/pool.ts';
import type { CommandContext } from '../context.ts';
import { accessChecks } from '../doctor/checks/access.ts';
import { blockCheck } from '../doctor/checks/block.ts';
import { changeLogCheck } from '../doctor/checks/change-log.ts';
import { documentChecks } from '../doctor/checks/documents.ts';
import { elasticsearchChecks } from '../doctor/checks/elasticsearch.ts';
import { indexChecks } from '../doctor/checks/index.ts';
import { paidChecks } from '../doctor/checks/paid.ts';
import { poolerCheck } from '../doctor/checks/pooler.ts';
import { postgresChecks } from '../doctor/checks/postgres.ts';
import { nodeCheck, settingsCheck } from '../doctor/checks/settings.ts';
import { shapeCheck } from '../doctor/checks/shape.ts';
import { syncCheck } from '../doctor/checks/sync.ts';
import { doctorConfig } from '../doctor/config.ts';
import { type Check, type Finding, type Level, levels, runChecks } from '../doctor/finding.ts';

/** A mapping, or the figures of a cluster's nodes. */
const maxResponseBytes = 16 * 1_048_576;

/** Checks run at the same time; those that compare documents take some for themselves. */
const connectionsAtMost = 16;

const help = `
Looks at the settings, the versions, what the roles of Postgres may do, connections, clocks, Elasticsearch's health and
disks, the index of each kind, who follows the change log and how far behind it is, plans and accounts, and, where the
paid search is on, the facilitator and the chain's node. Changes nothing. Each check has DOCTOR_TIMEOUT for itself, and
one that fails hides no other.

Exit codes: 0 all is well, 2 there are warnings, 1 something does not work, 64 wrong usage.

Examples:
  $ entity-search doctor
  $ entity-search doctor --json | jq '.[] | select(.level != "ok")'`;

export function doctorCommand(context: CommandContext): Command {
  return new Command('doctor')
    .description('look at everything this installation depends on, and say what to do')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', help)
    .action(async (flags: { readonly json?: boolean }) => {
      const findings = await examine(context);
      print(context, findings, flags.json ?? false);
      context.exitWith(codeOf(findings));
    });
}

async function examine({ env, signal, log }: CommandContext): Promise<readonly Finding[]> {
  const { timeoutMs } = doctorConfig(env);
  await using resources = new AsyncDisposableStack();
  const postgres = attempt('postgres', () => {
    const settings = { ...databaseConfig(env), applicationName: 'entity-search doctor', connectTimeoutMs: timeoutMs };
    // A server that hangs would keep the pool from closing.
    const config = { ...clientConfig(settings), query_timeout: timeoutMs };
    const opened = new pg.Pool({ ...config, max: connectionsAtMost });
    opened.on('error', (err) => log.debug({ err }, 'an idle connection to Postgres broke'));
    return { pool: resources.adopt(opened, (pool) => pool.end()), config };
  });
  const elasticsearch = attempt('elasticsearch', () => {
    const { indexPrefix, ...address } = elasticsearchConfig(env);
    const opened = createElasticsearchClient({ ...address, maxResponseBytes, maxConnections: 16 });
    const client = resources.adopt(opened, (one) => one.close());
    // Asked once: that it answers at the second attempt is not health.
    const cluster: Cluster = { client, limits: { timeoutMs, retries: 0, pauseMs: 0 } };
    return { cluster, indexPrefix };
  });
  const [pool, engine] = [postgres.made?.pool, elasticsearch.made];
  const checks = [
    settingsCheck(env),
    nodeCheck(process.versions.node),
    ...postgres.checks,
    ...(postgres.made === undefined ? [] : [poolerCheck(postgres.made.config)]),
    ...(pool === undefined ? [] : postgresChecks(pool, connectionsOf(env))),
    ...elasticsearch.checks,
    ...(pool === undefined ? [] : [shapeCheck(pool), syncCheck(pool)]),
    ...(engine === undefined
      ? []
      : [...elasticsearchChecks(engine.cluster), blockCheck(engine.cluster, engine.indexPrefix)]),
    ...(pool === undefined || engine === undefined
      ? []
      : [...indexChecks({ pool, ...engine }), ...documentChecks({ pool, ...engine }, env)]),
    ...logChecks(env, pool),
    ...(pool === undefined ? [] : accessChecks(pool, configuredNetwork(env))),
    ...paidChecks(env),
  ];
  // Awaited here: what the checks use is closed behind it.
  return await runChecks(checks, timeoutMs, signal);
}

interface Attempt<Made> {
  readonly made?: Made;
  readonly checks: readonly Check[];
}

/** What can't even be set up is a finding; settings that are wrong are told by their own check. */
function attempt<Made>(name: string, make: () => Made): Attempt<Made> {
  try {
    return { made: make(), checks: [] };
  } catch (error) {
    return { checks: error instanceof SettingsError ? [] : [{ name, look: () => Promise.reject(error) }] };
  }
}

/** Where a setting is wrong, that is told by its own check. */
function logChecks(env: Environment, pool: pg.Pool | undefined): readonly Check[] {
  if (pool === undefined) return [];
  try {
    return [changeLogCheck(pool, changeLogLimits(env))];
  } catch (error) {
    if (error instanceof SettingsError) return [];
    throw error;
  }
}

/** What one API process takes of Postgres at most. */
function connectionsOf(env: Environment): number | null {
  try {
    return Object.values(poolSizes(readConfig(env))).reduce((sum, size) => sum + size, 0);
  } catch (error) {
    if (error instanceof SettingsError) return null;
    throw error;
  }
}

function codeOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ level }) => level === 'fail')) return exitCodes.failed;
  return findings.some(({ level }) => level === 'warn') ? exitCodes.partial : exitCodes.ok;
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL', skipped: '-   ' } as const satisfies Record<Level, string>;
const colours = { ok: 'green', warn: 'yellow', fail: 'red', skipped: 'gray' } as const satisfies Record<Level, string>;

function print({ terminal }: CommandContext, findings: readonly Finding[], json: boolean): void {
  const { stdout } = terminal;
  if (json || !stdout.isTTY) {
    stdout.write(`${JSON.stringify(findings)}\n`);
    return;
  }
  for (const { check, level, found, todo } of findings) {
    stdout.write(`${styleText(colours[level], marks[level], { stream: stdout })}  ${check}: ${found}\n`);
    if (todo !== null) stdout.write(`      ${todo}\n`);
  }
  const counts = levels.map((level) => `${findings.filter((one) => one.level === level).length} ${level}`);
  stdout.write(`${counts.join(', ')}\n`);
}
