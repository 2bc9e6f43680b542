import { styleText } from 'node:util';
import type { Command } from 'commander';
import pg from 'pg';
import { readEmbeddings } from '../../src/config/embeddings.ts';
import { changeLogLimits, databaseConfig, elasticsearchConfig, indexerSettings } from '../../src/config/indexer.ts';
import { configuredNetwork } from '../../src/config/payments.ts';
import type { Cluster } from '../../src/elasticsearch/admin.ts';
import { createElasticsearchClient } from '../../src/elasticsearch/client.ts';
import { clientConfig } from '../../src/postgres/pool.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { type Check, readIfValid, runChecks } from '../doctor/check.ts';
import { accountsCheck } from '../doctor/checks/access.ts';
import { changeLogCheck, syncCheck } from '../doctor/checks/change-log.ts';
import { elasticsearchChecks } from '../doctor/checks/elasticsearch.ts';
import { embeddingChecks } from '../doctor/checks/embeddings.ts';
import { indexChecks } from '../doctor/checks/indices.ts';
import { ledgerCheck, paidChecks } from '../doctor/checks/payments.ts';
import { postgresChecks } from '../doctor/checks/postgres.ts';
import { settingsCheck } from '../doctor/checks/settings.ts';
import { sourcesCheck } from '../doctor/checks/sources.ts';
import { type Finding, type Level, levels } from '../doctor/finding.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';

/** The largest responses are a mapping and the figures of a cluster's nodes. */
const maxResponseBytes = 16 * 1_048_576;

/** Checks run at the same time. */
const connectionsAtMost = 12;

const notes = `Checks the settings, the versions, the rights of the Postgres roles, Elasticsearch's health and disks, the
index of each kind, accounts and keys, sync and the change log, the ledger of payments, the provider of embeddings, and,
if the paid search is on, the facilitator and the chain's node. Changes nothing.
Each check may take 10 s, and one that fails hides no other. The last line is the next command to run, in the order in
which an installation is set up.

Exit codes: 0 all is well, 2 there are warnings, 1 something does not work, 64 wrong usage.`;

export function makeCommand(context: CommandContext): Command {
  return defineCommand('doctor', {
    notes,
    examples: ['doctor', `doctor --json | jq '.[] | select(.level != "ok")'`],
  }).action(async () => {
    const findings = await examine(context);
    printFindings(context, findings);
    context.exitWith(codeOf(findings));
  });
}

async function examine({ env, limits, signal, log }: CommandContext): Promise<readonly Finding[]> {
  const { doctorTimeoutMs: timeoutMs } = limits;
  await using resources = new AsyncDisposableStack();
  const checks: Check[] = [settingsCheck(env)];
  const connect = <Connected>(name: string, open: () => Connected): Connected | undefined => {
    try {
      return readIfValid(open);
    } catch (error) {
      checks.push({ name, run: () => Promise.reject(error) });
      return undefined;
    }
  };
  const postgres = connect('postgres', () => {
    const settings = { ...databaseConfig(env), applicationName: 'entity-search doctor', connectTimeoutMs: timeoutMs };
    // A server that hangs would keep the pool from closing.
    const config = { ...clientConfig(settings), query_timeout: timeoutMs };
    const pool = resources.adopt(new pg.Pool({ ...config, max: connectionsAtMost }), (one) => one.end());
    pool.on('error', (err) => log.debug({ err }, 'an idle connection to Postgres broke'));
    return pool;
  });
  const elasticsearch = connect('elasticsearch', () => {
    const { indexPrefix, ...address } = elasticsearchConfig(env);
    const opened = createElasticsearchClient({ ...address, maxResponseBytes, maxConnections: 16 });
    const client = resources.adopt(opened, (one) => one.close());
    // No retries: a cluster that answers at the second attempt is not healthy.
    const cluster: Cluster = { client, limits: { timeoutMs, retries: 0, pauseMs: 0 } };
    return { cluster, indexPrefix };
  });
  const embeddings = readIfValid(() => readEmbeddings(env))?.model ?? null;
  if (postgres !== undefined) {
    checks.push(...postgresChecks(postgres), sourcesCheck(postgres));
  }
  if (elasticsearch !== undefined) {
    checks.push(...elasticsearchChecks(elasticsearch.cluster));
  }
  if (postgres !== undefined && elasticsearch !== undefined) {
    const { ELASTICSEARCH_SHARDS: shards } = readIfValid(() => indexerSettings(env)) ?? indexerSettings({});
    const engines = { pool: postgres, ...elasticsearch, embeddings, shards };
    checks.push(...indexChecks(engines));
  }
  if (postgres !== undefined) {
    const bounds = readIfValid(() => changeLogLimits(env));
    checks.push(accountsCheck(postgres), syncCheck(postgres));
    if (bounds !== undefined) checks.push(changeLogCheck(postgres, bounds));
    checks.push(ledgerCheck(postgres, configuredNetwork(env)));
  }
  checks.push(...embeddingChecks(env), ...paidChecks(env));
  // Awaited here, because the pool and the client are closed on return.
  return await runChecks(checks, timeoutMs, signal);
}

function codeOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ level }) => level === 'fail')) return exitCodes.failed;
  return findings.some(({ level }) => level === 'warn') ? exitCodes.partial : exitCodes.ok;
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL', skipped: '-   ' } as const satisfies Record<Level, string>;
const colours = { ok: 'green', warn: 'yellow', fail: 'red', skipped: 'gray' } as const satisfies Record<Level, string>;

function printFindings({ terminal }: CommandContext, findings: readonly Finding[]): void {
  const { stdout } = terminal;
  if (terminal.wantsJson) {
    terminal.printJson(findings);
    return;
  }
  for (const { check, level, found, todo } of findings) {
    stdout.write(`${styleText(colours[level], marks[level], { stream: stdout })}  ${check}: ${found}\n`);
    if (todo !== null) stdout.write(`      ${todo}\n`);
  }
  const counts = levels.map((level) => `${findings.filter((one) => one.level === level).length} ${level}`);
  stdout.write(`${counts.join(', ')}\n`);
  stdout.write(`Next: ${nextStep(findings)}\n`);
}

/** Returns the command that repairs the first problem; checks are in the order in which an installation is set up. Pure. */
export function nextStep(findings: readonly Finding[]): string {
  const todos = (level: Level): readonly string[] =>
    findings.flatMap((one) => (one.level === level && one.todo !== null ? [one.todo] : []));
  const commands = (level: Level): readonly string[] =>
    todos(level).flatMap((todo) => /\b(?:run|start|with): (.+)$/i.exec(todo)?.[1] ?? []);
  const [next] = [...commands('fail'), ...todos('fail'), ...commands('warn')];
  return next ?? 'entity-search explain "NAME" shows how a search ranks.';
}
