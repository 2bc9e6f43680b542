import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { Command, InvalidArgumentError } from 'commander';
import { startApi } from '../../demo/api.ts';
import { startEngines } from '../../engines/engines.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { createTestAccount } from '../../lib/api-accounts.ts';
import { shutdownSignal } from '../../lib/graceful-shutdown.ts';
import { choosePort } from '../../lib/ports.ts';
import { holdingsOf } from '../api/fleet.ts';
import { type Addresses, runToEnd } from '../index/programs.ts';
import { seedRows } from '../index/writers.ts';
import { heapAfterGc } from './heap.ts';
import { type Sample, slopeOf } from './slope.ts';

// One API process under mixed traffic, as much as it takes: memory after garbage collection and open descriptors must
// not grow, and nothing may fail.

interface Flags {
  readonly minutes: number;
  readonly connections: number;
}

const rows = 2_000;
/** The first part of the run warms up: caches fill, and code is compiled. */
const warmShare = 0.25;
/** Allowed growth of the heap in ten minutes, as a trend over all samples. */
const growthMaxMb = 8;
/** The same for descriptors. Pools fill under load and then stay full, so an idle process is no reference. */
const descriptorsGrowthMax = 20;

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1.');
  return Number(text);
}

const program = new Command('soak')
  .description('Mixed traffic at the highest rate that one API process takes; exit code 1 on a leak or an error.')
  .option('--minutes <number>', 'how long', wholeNumber, 10)
  .option('--connections <number>', 'callers, each with one request after another', wholeNumber, 32);

async function main(): Promise<number> {
  const flags = program.parse().opts<Flags>();
  const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const signal = shutdownSignal('the soak', process.env, printLine);
  const state = process.env.STATE || '.local/soak';
  const engines = await startEngines({ state, env: process.env, printLine, fsync: false, signal });
  await using resources = new AsyncDisposableStack();
  resources.defer(() => engines.stop());
  const env = {
    DATABASE_URL: engines.postgres.url,
    ELASTICSEARCH_URL: engines.elasticsearch.url,
    INDEX_PREFIX: 'soak-',
  };
  const log = join(realpathSync(state), 'log', 'soak.log');
  const key = await prepare(env, log);
  const port = await choosePort(undefined);
  const api = await startApi({
    port,
    logFile: join(realpathSync(state), 'log', 'soak-api.log'),
    // The inspector, on a free port of loopback, is asked for garbage collections and what is left after them.
    env: { ...env, LOG_LEVEL: 'warn', NODE_OPTIONS: '--inspect=127.0.0.1:0' },
    signal,
  });
  resources.defer(() => api.stop());
  const inspect = await heapAfterGc(join(realpathSync(state), 'log', 'soak-api.log'));
  resources.defer(async () => inspect.close());
  const report = await soak(api, inspect.measure, flags, key, printLine, signal);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return report.problems.length > 0 ? 1 : 0;
}

async function soak(
  api: { readonly url: string; readonly pid: number },
  heapMb: () => Promise<number>,
  flags: Flags,
  key: string,
  printLine: (line: string) => void,
  signal: AbortSignal,
) {
  const durationMs = flags.minutes * 60_000;
  const everyMs = Math.max(5_000, durationMs / 60);
  const before = { ...holdingsOf(api.pid), heapMb: await heapMb() };
  const samples: Sample[] = [];
  const running = load(api.url, key, flags);
  const stop = (): void => running.stop();
  signal.addEventListener('abort', stop, { once: true });
  const startedMs = performance.now();
  const timer = setInterval(() => void take(), everyMs);
  async function take(): Promise<void> {
    const atMinutes = (performance.now() - startedMs) / 60_000;
    const sample = { atMinutes, heapMb: await heapMb(), descriptors: holdingsOf(api.pid).descriptors };
    samples.push(sample);
    printLine(`${atMinutes.toFixed(1)} min: heap ${sample.heapMb.toFixed(1)} MB, descriptors ${sample.descriptors}`);
  }
  const result = await running.result;
  clearInterval(timer);
  signal.removeEventListener('abort', stop);
  const after = { ...holdingsOf(api.pid), heapMb: await heapMb() };
  const warm = samples.filter(({ atMinutes }) => atMinutes > warmShare * flags.minutes);
  const growthMb = slopeOf(warm, 'heapMb') * 10;
  const moreDescriptors = slopeOf(warm, 'descriptors') * 10;
  const answers = Object.entries(result.statusCodeStats ?? {}).map(([status, { count = 0 }]) => [status, count]);
  const problems = [
    ...(growthMb > growthMaxMb ? [`the heap grows by ${growthMb.toFixed(1)} MB in ten minutes`] : []),
    ...(moreDescriptors > descriptorsGrowthMax
      ? [`${moreDescriptors.toFixed(0)} more descriptors in ten minutes`]
      : []),
    ...(result.non2xx + result.errors + result.timeouts > 0 ? ['not every request was answered with 200'] : []),
    ...(warm.length < 3 ? ['too short to tell: give more minutes'] : []),
  ];
  return {
    minutes: flags.minutes,
    connections: flags.connections,
    requests: result.requests.total,
    per_second: Math.round(result.requests.average),
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    answers: Object.fromEntries(answers),
    errors: result.errors + result.timeouts,
    before,
    after,
    heap_growth_mb_in_ten_minutes: Math.round(growthMb * 10) / 10,
    more_descriptors_in_ten_minutes: Math.round(moreDescriptors * 10) / 10,
    problems,
  };
}

function load(url: string, key: string, { minutes, connections }: Flags) {
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const get = (path: string) => ({ method: 'GET', path, headers }) as const;
  const ids = Array.from({ length: 50 }, (_, at) => 1 + at * 37);
  const requests = ids.flatMap((id) => [
    get(`/api/v1/search?type=companies&query=First%20${id}`),
    get(`/api/v1/search?type=all&query=words%20about%20${id}&limit=5`),
    get(`/api/v1/search?type=people&query=Frist%20${id}`),
    get('/api/v1/suggest?q=Fir'),
    get(`/api/v1/companies/${id}`),
    get(`/api/v1/people/first-${id}`),
    {
      method: 'POST',
      path: '/api/v1/bulk',
      headers,
      body: JSON.stringify({ operation: 'get', entity_type: 'companies', identifiers: ids.slice(0, 20) }),
    } as const,
    get('/api/health'),
  ]);
  const instance = autocannon(
    { url, connections, duration: minutes * 60, timeout: 30, requests },
    (error: unknown, result) => (error ? reject(error) : resolve(result)),
  );
  return { result: promise, stop: () => instance.stop() };
}

async function prepare(env: Addresses, log: string): Promise<string> {
  await runToEnd(['migrate'], env, log);
  return withClient(env.DATABASE_URL, async (client) => {
    await client.query('truncate companies, people, investors, events cascade');
    await seedRows(client, rows);
    await runToEnd(['reindex', '--json'], env, log);
    return (await createTestAccount(client, `soak-${Date.now()}`, 1_000_000_000)).key;
  });
}

process.exitCode = await main();
