import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startPaymentStack } from '../chain/payments-stack.ts';
import { type Engines, startEngines } from '../engines/engines.ts';
import { withClient } from '../engines/postgres/client.ts';
import { MissingToolError } from '../engines/preflight.ts';
import { shutdownSignal, untilAborted } from '../lib/graceful-shutdown.ts';
import { logStep } from '../lib/log-step.ts';
import { isPortFree } from '../lib/ports.ts';
import { ProgramFailed } from '../lib/programs.ts';
import { StateInUseError } from '../lib/state.ts';
import { type RunningProgram, startApi, startSync } from './api.ts';
import { type DemoConfig, DemoConfigError, demoConfig } from './config.ts';
import { consoleAddress, consoleSettings } from './console.ts';
import { loadData } from './data.ts';
import { demoEmbeddings } from './embeddings.ts';
import { type GuardedEngines, NotDemoOwnedError, refuseForeignData } from './guard.ts';
import { demoIndices } from './indices.ts';
import { demoInstructions, misspelt } from './instructions.ts';
import { demoKey } from './key.ts';

/**
 * `npm run demo`: embeddings → engines → chain and facilitator → schema → data → indices → API and sync → key, until
 * Ctrl-C. Text for people goes to stderr; stdout gets one line of JSON when it serves. Everything started here is
 * stopped here, the API before the services that it uses.
 */
async function main(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Promise<number> {
  const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const signal = shutdownSignal('the demo', env, printLine);
  try {
    const config = demoConfig(env, args);
    await check(config);
    await run(config, env, signal, printLine);
    return 0;
  } catch (error) {
    if (signal.aborted) return 0;
    printLine(isForPeople(error) ? error.message : String(error instanceof Error ? error.stack : error));
    return error instanceof NotDemoOwnedError ? refusedCode : 1;
  }
}

/** The exit code of `entity-search` for a condition that is not met, before any work. */
const refusedCode = 3;

class DemoRefused extends Error {
  override readonly name = 'DemoRefused';
}

function isForPeople(error: unknown): error is Error {
  const kinds = [DemoConfigError, DemoRefused, NotDemoOwnedError, MissingToolError, StateInUseError, ProgramFailed];
  return kinds.some((kind) => error instanceof kind);
}

/** Checks for problems that would otherwise appear late. */
async function check(config: DemoConfig): Promise<void> {
  if (!(await isPortFree(config.port))) {
    throw new DemoRefused(
      `Port ${config.port} is in use: stop the program that listens there, or choose another port with PORT.`,
    );
  }
  if (config.data !== undefined && !existsSync(config.data)) {
    throw new DemoRefused(`DATA names ${config.data}, which does not exist: give a folder with NDJSON files.`);
  }
}

type Env = Readonly<Record<string, string | undefined>>;

async function run(
  config: DemoConfig,
  env: Env,
  signal: AbortSignal,
  printLine: (line: string) => void,
): Promise<void> {
  const servers: Stop[] = [];
  const users: Stop[] = [];
  try {
    const embeddings = await demoEmbeddings(env, printLine, signal);
    const engines = await startEngines({ state: config.state, env, printLine, signal, keep: true });
    servers.push(() => engines.stop());
    if (!config.intoExisting) await refuseForeignData(guarded(config, engines, env));
    const payments = await startPaymentStack({ state: config.state, printLine, signal });
    servers.push(() => payments.stop());
    await using indices = demoIndices({ ...env, ...addresses(engines) });
    const programsEnv = { ...addresses(engines), ...embeddings.env };
    const model = embeddings.config?.model ?? null;
    await loadData(config, { signal, env: programsEnv }, { indices, model }, printLine);
    const api = await startApi({
      port: config.port,
      logFile: join(config.state, 'log', 'api.log'),
      env: { ...programsEnv, ...payments.env, ...consoleSettings(payments.payerKey) },
      signal,
    });
    users.push(() => api.stop());
    const sync = await startSync({ logFile: join(config.state, 'log', 'sync.log'), env: programsEnv });
    users.push(() => sync.stop());
    const key = await demoKey(config, engines.postgres.url);
    signal.throwIfAborted();
    const name = await firstCompany(engines.postgres.url);
    await logStep(printLine, 'Elasticsearch: running first searches', () => warmUp(api.url, key, name, signal));
    const { chain, facilitator, payTo, token, payerKey } = payments;
    const addressesOfEngines = { postgres: engines.postgres.url, elasticsearch: engines.elasticsearch.url };
    const console = consoleAddress(config.port);
    announce({ url: api.url, console, key, ...addressesOfEngines, chain, facilitator, payTo, token, payerKey });
    printLine(demoInstructions(config, { api: api.url, console }, key, name));
    await stopped({ 'The API': api, 'The sync': sync }, signal);
  } finally {
    await stopEach(users);
    await stopEach(servers);
    if (signal.aborted) printLine(`Stopped. The data stays in ${config.state}.`);
  }
}

/** Returns the name of a company for the examples; undefined if there is none. */
async function firstCompany(databaseUrl: string): Promise<string | undefined> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('select name from companies order by id limit 1');
    return rows[0]?.name;
  });
}

/** A started Elasticsearch takes seconds for its first searches, longer than the API waits for an answer. */
async function warmUp(url: string, key: string, name: string | undefined, signal: AbortSignal): Promise<void> {
  const known = name ?? 'exchange';
  const questions = [`upcoming events near ${known} in Lisbon`, `developers at ${known} who are not founders`];
  for (const query of [known, misspelt(known), ...questions]) {
    const params = new URLSearchParams({ type: 'all', query, facets: 'tag' });
    const answer = await fetch(`${url}/api/v1/search?${params}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal,
    });
    await answer.arrayBuffer();
  }
}

function guarded(config: DemoConfig, { postgres, elasticsearch }: Engines, env: Env): GuardedEngines {
  return {
    databaseUrl: postgres.url,
    elasticsearchUrl: elasticsearch.url,
    indexPrefix: env.INDEX_PREFIX ?? '',
    given: { database: config.ownDatabase, elasticsearch: elasticsearch.source === 'environment' },
  };
}

type Stop = () => Promise<void>;

/** Stops all at the same time. Reports failures and stops the others anyway. */
async function stopEach(stops: readonly Stop[]): Promise<void> {
  const settled = await Promise.allSettled(stops.map((stop) => stop()));
  for (const result of settled) if (result.status === 'rejected') process.stderr.write(`${String(result.reason)}\n`);
}

function addresses(engines: Engines): Record<'DATABASE_URL' | 'ELASTICSEARCH_URL', string> {
  return { DATABASE_URL: engines.postgres.url, ELASTICSEARCH_URL: engines.elasticsearch.url };
}

function announce(where: Readonly<Record<string, string>>): void {
  process.stdout.write(`${JSON.stringify({ ready: true, ...where })}\n`);
}

/** Waits for a stop signal. If a program ends by itself, that is an error. */
async function stopped(programs: Readonly<Record<string, RunningProgram>>, signal: AbortSignal): Promise<void> {
  const endings = Object.entries(programs).map(
    async ([name, { exited }]) => `${name} ended by itself (${await exited}).`,
  );
  const ended = await Promise.race([untilAborted(signal).then(() => undefined), ...endings]);
  if (ended !== undefined && !signal.aborted) throw new Error(ended);
}

process.exitCode = await main(process.env, process.argv.slice(2));
