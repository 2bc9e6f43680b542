import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { z } from 'zod';
import { ReindexProgress } from '../../cli/progress/reindex.ts';
import { SyncProgress } from '../../cli/progress/sync.ts';
import { createTerminal } from '../../cli/terminal.ts';
import { watchGenerations, watchPressure, watchReindex, watchSync } from '../../indexer/metrics.ts';
import { BatchBuffers } from '../../indexer/write/batch-buffers.ts';
import { PressureGate } from '../../indexer/write/pressure-gate.ts';
import { createApiMetrics } from '../../src/metrics/api.ts';
import { createEngineMetrics } from '../../src/metrics/engines.ts';

// The library has labels of every metric, and leaves them out of its types.
const offered = z.array(
  z.object({
    name: z.string(),
    help: z.string(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
    labelNames: z.array(z.string()),
  }),
);
type OfferedMetric = z.infer<typeof offered>[number];

/** Every metric that a process offers. */
export function offeredMetrics(): readonly OfferedMetric[] {
  const api = new Registry();
  collectDefaultMetrics({ register: api });
  createEngineMetrics(api);
  const { watchLag, watchLedger } = createApiMetrics(api);
  watchLag({ seconds: () => null });
  watchLedger(() => null);
  const indexer = new Registry();
  const pressure = { maxRequests: 1, slowFactor: 1, slowFloorMs: 1, decreaseEveryMs: 1 };
  watchPressure(indexer, new PressureGate(pressure), new BatchBuffers(1, 1));
  watchGenerations(indexer, () => undefined);
  const terminal = createTerminal(new PassThrough(), new PassThrough());
  using syncProgress = new SyncProgress(terminal, pino({ level: 'silent' }), () => 0);
  watchSync(indexer, syncProgress);
  using progress = new ReindexProgress(terminal, () => 0);
  watchReindex(indexer, progress);
  return offered.parse([...api.getMetricsAsArray(), ...indexer.getMetricsAsArray()]);
}

/** Series by name, as a scrape tells them: those of histograms end in `_bucket`, `_sum` and `_count`. */
export function seriesOf({ name, type, labelNames }: OfferedMetric): readonly (readonly [string, readonly string[]])[] {
  if (type !== 'histogram' && type !== 'summary') return [[name, labelNames]];
  return [
    [`${name}_bucket`, [...labelNames, 'le']],
    [`${name}_sum`, labelNames],
    [`${name}_count`, labelNames],
  ];
}

/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads a scrape; throws for a line that is none. */
export function readScrape(text: string): readonly Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, inner = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`no line of a scrape: ${line}`);
    const labels = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [label, text]);
    return { name, labels: Object.fromEntries(labels), value: Number(value) };
  });
}

/** The sum of the samples of a name that have these labels; undefined where there are none. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const fitting = samples.filter(
    (one) => one.name === name && Object.entries(labels).every(([label, text]) => one.labels[label] === text),
  );
  return fitting.length === 0 ? undefined : fitting.reduce((sum, { value }) => sum + value, 0);
}
