import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { z } from 'zod';
import { offeredMetrics } from '../../../dev/docs/metrics.ts';
import { metricsConfig } from '../../../src/config/metrics.ts';
import { readPaidConfig } from '../../../src/config/payments.ts';
import { operationOf } from '../../../src/elasticsearch/requests.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { createApiMetrics } from '../../../src/metrics/api.ts';
import type { Outcome } from '../../../src/payments/flow/context.ts';
import type { PaymentFigures } from '../../../src/payments/ledger/observe.ts';
import { liveIndexLag } from '../../../src/postgres/index-lag.ts';
import { readScrape, seriesOf, sumOf } from '../../support/telemetry/metrics.ts';
import { readPromql } from '../../support/telemetry/promql.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const metrics = Object.values(offeredMetrics()).flat();
/** Labels that Prometheus adds by itself. */
const own = { series: [['up', ['job', 'instance']]] as const, labels: ['job', 'instance'] };
const series = new Map<string, readonly string[]>([...metrics.flatMap(seriesOf), ...own.series]);

const panels = z.array(
  z.object({
    title: z.string(),
    targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
  }),
);
const dashboard = z
  .object({ panels, templating: z.object({ list: z.array(z.object({ name: z.string() })) }) })
  .parse(JSON.parse(read('ops/grafana/entity-search.json')));
const rules = z
  .object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.strictObject({
            alert: z.string(),
            expr: z.string(),
            for: z.string().optional(),
            labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
            annotations: z.strictObject({ summary: z.string(), action: z.string() }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(read('ops/prometheus/alerts.yml')))
  .groups.flatMap((group) => group.rules);
const queries = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: title, expr }))),
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
];

test('every metric and label in the dashboard and the alerts exists', () => {
  expect(queries.length).toBeGreaterThan(50);
  const wrong = queries.flatMap(({ where, expr }) => {
    const { metrics: named, matchers, grouped } = readPromql(expr);
    const labels = new Set([...own.labels, ...named.flatMap((name) => series.get(name) ?? [])]);
    return [
      ...(named.length === 0 ? [`${where}: reads nothing`] : []),
      ...named.filter((name) => !series.has(name)).map((name) => `${where}: no metric ${name}`),
      ...matchers
        .filter(({ metric, label }) => ![...own.labels, ...(series.get(metric) ?? [])].includes(label))
        .map(({ metric, label }) => `${where}: ${metric} has no label ${label}`),
      ...grouped.filter((label) => !labels.has(label)).map((label) => `${where}: groups by ${label}`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('the dashboard shows each of our metrics', () => {
  const shown = new Set(queries.flatMap(({ expr }) => readPromql(expr).metrics));
  const hidden = metrics
    .filter(({ name }) => name.startsWith('entity_search_'))
    .filter((metric) => !seriesOf(metric).some(([name]) => shown.has(name)));
  expect(hidden.map(({ name }) => name)).toEqual([]);
});

test('the scrape configuration loads the alerts and covers every service of the compose file with metrics', () => {
  const config = z
    .object({
      rule_files: z.array(z.string()),
      scrape_configs: z.array(
        z.object({ job_name: z.string(), static_configs: z.array(z.object({ targets: z.array(z.string()) })) }),
      ),
    })
    .parse(parse(read('ops/prometheus/prometheus.yml')));
  expect(config.rule_files).toEqual(['alerts.yml']);
  const environment = z.looseObject({ METRICS_PORT: z.string().optional() });
  const { services } = z
    .object({ services: z.record(z.string(), z.object({ environment: environment.optional() })) })
    .parse(parse(read('docker-compose.yml'), { merge: true }));
  const offering = Object.entries(services).flatMap(([name, { environment: env }]) =>
    env?.METRICS_PORT === undefined ? [] : [`${name}:${env.METRICS_PORT}`],
  );
  const scraped = config.scrape_configs.flatMap(({ static_configs: [first] }) => first?.targets ?? []);
  expect([...scraped].sort()).toEqual([...offering].sort());
  const jobs = config.scrape_configs.map(({ job_name: name }) => name);
  const named = queries.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]+)"/g)].map(([, job = '']) => job));
  expect(named.filter((job) => !jobs.includes(job))).toEqual([]);
});

test('operations of Elasticsearch have a small set of names, whatever the index is called', () => {
  const asked = [
    ['POST', '/companies,people/_search', 'search'],
    ['POST', '/companies%20_bulk/_pit', 'open_point_in_time'],
    ['DELETE', '/_pit', 'close_point_in_time'],
    ['POST', '/companies-write/_bulk', 'bulk'],
    ['GET', '/_cluster/health/people-1', 'cluster'],
    ['GET', '/people-1/_stats/docs,store', 'stats'],
    ['POST', '/_aliases', 'alias'],
    ['PUT', '/people-1', 'create_index'],
    ['GET', '/', 'other'],
    ['POST', '/people/_whatever', 'other'],
  ] as const;
  expect(asked.map(([method, path]) => operationOf(method, path))).toEqual(asked.map(([, , word]) => word));
});

test('METRICS_PORT is off unless it is a port number', () => {
  expect(metricsConfig({})).toBeNull();
  expect(metricsConfig({ METRICS_PORT: 'off' })).toBeNull();
  expect(metricsConfig({ METRICS_PORT: '0', METRICS_HOST: '::1' })).toEqual({ host: '::1', port: 0 });
  expect(metricsConfig({ METRICS_PORT: '9464' })).toEqual({ host: '127.0.0.1', port: 9464 });
  for (const port of ['65536', '-1', 'on', '1.5', '999999']) {
    expect(() => metricsConfig({ METRICS_PORT: port })).toThrow('METRICS_PORT: must be "off", or a port');
  }
});

test('payments are counted by outcome', async () => {
  const registry = new Registry();
  const outcomes: Outcome[] = [
    { kind: 'served', body: '', receipt: '', replayed: false, done: () => undefined },
    { kind: 'served', body: '', receipt: '', replayed: true, done: () => undefined },
    { kind: 'refused', code: 'insufficient_funds', message: '' },
    { kind: 'in-progress' },
    { kind: 'unknown' },
  ];
  const { terms } = readPaidConfig({ X402_PAY_TO: `0x${'1'.repeat(40)}`, X402_RPC_URL: 'http://127.0.0.1:1' }) ?? {};
  if (terms === undefined) throw new Error('nothing is sold');
  const waiting = [...outcomes];
  const purchase = async () => waiting.shift() ?? { kind: 'gone' as const };
  const paid = createApiMetrics(registry).meteredPaidSearch({ terms, publicUrl: undefined, purchase });
  const request = {
    header: '',
    caller: '192.0.2.7',
    request: { q: '', type: 'all', limit: 1, page: 1 },
    search: async () => ({ ok: false as const, reason: 'unused', cause: null }),
    clientSignal: new AbortController().signal,
  } as const;
  // A decision goes through unchanged.
  for (const outcome of outcomes) expect(await paid.purchase(request)).toBe(outcome);
  const samples = readScrape(await registry.metrics());
  for (const outcome of ['served', 'replayed', 'refused', 'in_progress', 'unknown']) {
    expect(sumOf(samples, 'entity_search_payments_total', { outcome })).toBe(1);
  }
});

test('ledger metrics are exposed, and left out while they are unknown', async () => {
  const registry = new Registry();
  const known: PaymentFigures = {
    payments: { settling: 1, overdue: 2, undelivered: 3, released: 4, no_node: 5 },
    findings: { transfer_without_row: 1, row_without_transfer: 0, unreadable: 0, reversed: 0 },
    auditAgeSeconds: 12.5,
  };
  let figures: PaymentFigures | null = known;
  createApiMetrics(registry).watchLedger(() => figures);
  const told = async () =>
    readScrape(await registry.metrics()).filter(({ name }) => /^entity_search_payments(_audit|$)/.test(name));
  const samples = await told();
  expect(sumOf(samples, 'entity_search_payments', { state: 'released' })).toBe(4);
  expect(sumOf(samples, 'entity_search_payments')).toBe(15);
  expect(sumOf(samples, 'entity_search_payments_audit_findings', { kind: 'transfer_without_row' })).toBe(1);
  expect(sumOf(samples, 'entity_search_payments_audit_findings', { kind: 'row_without_transfer' })).toBe(0);
  expect(sumOf(samples, 'entity_search_payments_audit_age_seconds')).toBe(12.5);
  figures = { ...known, auditAgeSeconds: null };
  expect(sumOf(await told(), 'entity_search_payments_audit_age_seconds')).toBeUndefined();
  figures = null;
  expect(await told()).toEqual([]);
});

test('unknown methods share a label, and a kind with unknown lag has no sample', async () => {
  const registry = new Registry();
  const { meter, watchLag } = createApiMetrics(registry);
  let seconds: number | null = 1.5;
  watchLag({ seconds: ([kind]) => (kind === 'people' ? seconds : null) });
  for (const method of ['GET', 'BREW', 'PURGE']) {
    meter.began();
    meter.answered({ method, route: 'unmatched', status: '405', seconds: 0.01 });
  }
  const samples = readScrape(await registry.metrics());
  expect(sumOf(samples, 'entity_search_http_request_duration_seconds_count', { method: 'other' })).toBe(2);
  expect(samples.filter(({ name }) => name === 'entity_search_index_lag_seconds')).toEqual([
    { name: 'entity_search_index_lag_seconds', labels: { kind: 'people' }, value: 1.5 },
  ]);
  seconds = null;
  expect(sumOf(readScrape(await registry.metrics()), 'entity_search_index_lag_seconds')).toBeUndefined();
});

test('the lag of a search is the worst of its kinds, and unknown if an index is halted or missing', () => {
  const of = (kind: KindName, state: string, seconds: number, halted = false) =>
    ({ kind, generation: `${kind}-1`, state, halted, rows: 1, seconds, deadLetters: 0 }) as const;
  let readings: readonly ReturnType<typeof of>[] | undefined = [
    of('companies', 'live', 4.25),
    of('companies', 'loading', 99),
    of('investors', 'live', 0.5),
    of('people', 'live', 0, true),
  ];
  const lag = liveIndexLag(() => readings);
  expect(lag.seconds(['companies'])).toBe(4.25);
  expect(lag.seconds(['investors', 'companies'])).toBe(4.25);
  expect(lag.seconds(['people'])).toBeNull();
  expect(lag.seconds(['companies', 'people'])).toBeNull();
  expect(lag.seconds(['events'])).toBeNull();
  readings = undefined;
  expect(lag.seconds(['companies'])).toBeNull();
});
