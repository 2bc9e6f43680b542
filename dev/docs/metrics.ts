import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { parse } from 'yaml';
import { z } from 'zod';
import type { EmbeddingEvents } from '../../indexer/embeddings/fill-vectors.ts';
import { countEmbedding } from '../../indexer/embeddings/metrics.ts';
import { watchGenerations } from '../../indexer/generations/metrics.ts';
import type { SyncEvents } from '../../indexer/sync/events.ts';
import { countSync } from '../../indexer/sync/metrics.ts';
import { RequestLimiter } from '../../indexer/write/backpressure.ts';
import { BatchBuffers } from '../../indexer/write/batch-buffers.ts';
import { watchPressure } from '../../indexer/write/metrics.ts';
import { createApiMetrics, createEmbeddingMetrics } from '../../src/metrics/api.ts';
import { createEngineMetrics } from '../../src/metrics/engines.ts';
import { code, table } from './table.ts';

// The library returns label names, but leaves them out of its types.
const offered = z.array(
  z.object({
    name: z.string(),
    help: z.string(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
    labelNames: z.array(z.string()),
  }),
);
export type OfferedMetric = z.infer<typeof offered>[number];

function metricsOf(register: (registry: Registry) => void): readonly OfferedMetric[] {
  const registry = new Registry();
  register(registry);
  return offered.parse(registry.getMetricsAsArray());
}

/** Returns every metric, grouped by the process that serves it. */
export function offeredMetrics(): Readonly<Record<'node' | 'engines' | 'api' | 'indexer', readonly OfferedMetric[]>> {
  return {
    node: metricsOf((register) => collectDefaultMetrics({ register })),
    engines: metricsOf((registry) => void createEngineMetrics(registry)),
    api: metricsOf((registry) => {
      const { watchLag, watchLedger } = createApiMetrics(registry);
      watchLag({ seconds: () => null });
      watchLedger(() => null);
      createEmbeddingMetrics(registry).watch({ state: () => 'ready' });
    }),
    indexer: metricsOf(registerIndexer),
  };
}

function registerIndexer(registry: Registry): void {
  const pressure = { maxRequests: 1, decreaseEveryMs: 1 };
  watchPressure(registry, new RequestLimiter(pressure), new BatchBuffers(1, 1));
  watchGenerations(registry, () => undefined);
  countSync(registry, new EventEmitter<SyncEvents>());
  countEmbedding(registry, new EventEmitter<EmbeddingEvents>());
}

const rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          labels: z.object({ severity: z.string() }),
          annotations: z.object({ summary: z.string(), action: z.string() }),
        }),
      ),
    }),
  ),
});

function metricTable(metrics: readonly OfferedMetric[]): string {
  const rows = metrics.map(({ name, type, labelNames, help }) => [
    code(name),
    type,
    labelNames.length === 0 ? '–' : labelNames.map(code).join(', '),
    help,
  ]);
  return table(['metric', 'type', 'labels', 'description'], rows);
}

export function metricsPage(alertRules = readFileSync('ops/prometheus/alerts.yml', 'utf8')): string {
  const { engines, api, indexer } = offeredMetrics();
  const alerts = rules.parse(parse(alertRules)).groups.flatMap((group) => group.rules);
  const alertRows = alerts.map(({ alert, labels, annotations }) => [
    code(alert),
    labels.severity,
    annotations.summary,
    annotations.action,
  ]);
  return `# Metrics and alerts

Prometheus metrics at \`/metrics\` on \`METRICS_PORT\` ([runbook](../runbook.md#logs-and-metrics)). The usual
\`nodejs_…\` and \`process_…\` metrics are served, too.

## API

\`route\` is the template of the route, such as \`/api/v1/companies/:identifier\`, or \`unmatched\`.

${metricTable(api)}

## Both processes

Pools are \`entities\`, \`access\`, \`health\`, \`lag\` and \`payments\` of the API, and \`sync\`.

${metricTable(engines)}

## sync

\`generation\` is the name of an index, \`state\` its state in \`entity-search status\`.

${metricTable(indexer)}

## Alerts

From \`ops/prometheus/alerts.yml\`.

${table(['alert', 'severity', 'summary', 'action'], alertRows)}
`;
}
