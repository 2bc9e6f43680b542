import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { init } from 'echarts';
import { z } from 'zod';
import { capacityChart } from './capacity/chart.ts';
import { documentedCapacity, writeCapacity } from './capacity/document.ts';
import { parseLines } from './compare.ts';
import { tableOf } from './table.ts';

// Pictures of figures, drawn without a browser.

type Chart = Parameters<ReturnType<typeof init>['setOption']>[0];

const numbers = z.array(z.number());
const line = z.object({ bench: z.string(), rows: z.number(), subject: z.number(), floor: z.number().nullable() });
const growth = line.extend({
  bench: z.literal('growth'),
  details: z.object({
    p50Ms: z.number(),
    p95Ms: z.number(),
    reindexPerSecond: z.number(),
    indexBytesPerRow: z.number(),
  }),
});
const latency = line.extend({
  bench: z.literal('search-latency'),
  details: z.object({ shares: numbers, subjectMs: numbers, floorMs: numbers }),
});
const feeder = line.extend({
  bench: z.literal('feeder'),
  rounds: z.object({ subject: numbers, floor: numbers }),
  details: z.object({ helperPerSecond: numbers.nullable() }),
});
const ratio = line.extend({
  figure: z.string().optional(),
  better: z.enum(['higher', 'lower']),
  ratio: z.object({ median: z.number() }),
  goals: z.array(z.object({ of: z.string(), atLeast: z.number().optional(), atMost: z.number().optional() })),
});

/** A picture by its file's name. */
type Pictures = Readonly<Record<string, Chart>>;

/** The pictures that these lines of JSON have something for; later lines of a bench replace earlier ones. */
export function picturesOf(lines: readonly unknown[]): Pictures {
  const grown = new Map(lines.flatMap((one) => growth.safeParse(one).data ?? []).map((one) => [one.rows, one]));
  const sizes = [...grown.values()].sort((one, other) => one.rows - other.rows);
  const waited = lines.flatMap((one) => latency.safeParse(one).data ?? []).at(-1);
  const fed = lines.flatMap((one) => feeder.safeParse(one).data ?? []).at(-1);
  const ratios = lines.flatMap((one) => ratio.safeParse(one).data ?? []);
  return {
    ...(sizes.length < 2 ? {} : { 'growth-search': growthSearch(sizes), 'growth-reindex': growthReindex(sizes) }),
    ...(waited === undefined ? {} : { latency: latencyChart(waited) }),
    ...(fed === undefined ? {} : { feeder: feederChart(fed) }),
    ...(ratios.length === 0 ? {} : { ratios: ratiosChart(ratios) }),
  };
}

const common = { animation: false, backgroundColor: '#ffffff', grid: { left: 80, right: 40, top: 70, bottom: 80 } };

function titled(text: string, rows: number | null): Chart {
  const subtext = rows === null ? '' : `${rows.toLocaleString('en')} companies`;
  return { ...common, title: { text, subtext, left: 'center' }, legend: { bottom: 0 } };
}

const axisName = { nameLocation: 'middle', nameGap: 30 } as const;
const sideName = { nameLocation: 'middle', nameGap: 55 } as const;

function growthSearch(sizes: readonly z.infer<typeof growth>[]): Chart {
  const curve = (name: string, of: 'p50Ms' | 'p95Ms') => ({
    type: 'line' as const,
    name,
    data: sizes.map(({ rows, details }) => [rows, details[of]]),
  });
  return {
    ...titled('A search, as the companies grow', null),
    xAxis: { type: 'log', name: 'companies', ...axisName },
    yAxis: { type: 'value', name: 'milliseconds', min: 0, ...sideName },
    series: [curve('half of the searches take less', 'p50Ms'), curve('19 of 20 take less', 'p95Ms')],
  };
}

function growthReindex(sizes: readonly z.infer<typeof growth>[]): Chart {
  return {
    ...titled('A reindex, as the companies grow', null),
    grid: { ...common.grid, right: 80 },
    xAxis: { type: 'log', name: 'companies', ...axisName },
    yAxis: [
      { type: 'value', name: 'documents a second', min: 0, ...sideName },
      { type: 'value', name: 'bytes of index a row', min: 0, ...sideName, splitLine: { show: false } },
    ],
    series: [
      {
        type: 'line',
        name: 'documents a second',
        data: sizes.map(({ rows, details }) => [rows, details.reindexPerSecond]),
      },
      {
        type: 'line',
        name: 'bytes of index a row',
        yAxisIndex: 1,
        lineStyle: { type: 'dashed' },
        data: sizes.map(({ rows, details }) => [rows, details.indexBytesPerRow]),
      },
    ],
  };
}

function latencyChart({ rows, details }: z.infer<typeof latency>): Chart {
  const { shares, subjectMs, floorMs } = details;
  const curve = (name: string, tookMs: readonly number[]) => ({
    type: 'line' as const,
    name,
    data: shares.map((share, at) => [share * 100, tookMs[at] ?? 0]),
  });
  return {
    ...titled('One search after another', rows),
    xAxis: { type: 'value', name: '% of the searches take less', min: 0, max: 100, ...axisName },
    yAxis: { type: 'value', name: 'milliseconds', min: 0, ...sideName },
    series: [curve('through the API', subjectMs), curve('straight to Elasticsearch', floorMs)],
  };
}

function feederChart({ rows, rounds, details }: z.infer<typeof feeder>): Chart {
  const curve = (name: string, values: readonly number[]) => ({
    type: 'line' as const,
    name,
    data: values.map((value, at) => [String(at + 1), value]),
  });
  return {
    ...titled('From Postgres to _bulk bodies, nothing behind them', rows),
    xAxis: { type: 'category', name: 'round', ...axisName },
    yAxis: { type: 'value', name: 'documents a second', min: 0, ...sideName },
    series: [
      curve('the feeder', rounds.subject),
      curve('COPY … TO STDOUT', rounds.floor),
      ...(details.helperPerSecond === null ? [] : [curve('helpers.bulk', details.helperPerSecond)]),
    ],
  };
}

/** Ratios that something was promised about; where less is better, upside down, so that longer is always better. */
function ratiosChart(ratios: readonly z.infer<typeof ratio>[]): Chart {
  const bars = ratios.flatMap(({ bench, figure, ratio: { median }, goals, better }) => {
    // It has a picture of its own.
    if (bench === 'growth') return [];
    const goal = goals.find(({ of }) => of === 'ratio');
    const promised = goal?.atLeast ?? goal?.atMost;
    if (promised === undefined) return [];
    const value = better === 'higher' ? median / promised : promised / median;
    return [{ name: figure === undefined ? bench : `${bench}, ${figure}`, value: Number(value.toFixed(2)) }];
  });
  return {
    ...titled('Ratios, as multiples of their goals', null),
    grid: { ...common.grid, left: 180 },
    xAxis: { type: 'value', min: 0 },
    yAxis: { type: 'category', inverse: true, data: bars.map(({ name }) => name) },
    legend: { show: false },
    series: [
      {
        type: 'bar',
        data: bars.map(({ value }) => ({ value, itemStyle: { color: value >= 1 ? '#3a7d44' : '#b3432b' } })),
        label: { show: true, position: 'right' },
        markLine: { symbol: 'none', label: { formatter: 'goal', position: 'start' }, data: [{ xAxis: 1 }] },
      },
    ],
  };
}

const size = { width: 760, height: 440 } as const;

/** A picture as the text of an SVG file. */
export function svgOf(chart: Chart): string {
  const drawn = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    drawn.setOption(chart);
    return `${drawn.renderToSVGString()}\n`;
  } finally {
    drawn.dispose();
  }
}

/**
 * Draws what a file of figures has curves for, lists them all in `figures.md`, and writes the example of `plan-capacity`.
 * Answers the files written.
 */
export async function plotFigures(file: string, directory: string): Promise<readonly string[]> {
  const lines = parseLines(await readFile(file, 'utf8'));
  await mkdir(directory, { recursive: true });
  const page = join(directory, 'figures.md');
  await writeFile(page, tableOf(lines));
  const written = [page];
  const capacity = documentedCapacity(lines);
  if (capacity !== null) written.push(...(await writeCapacity(capacity, directory)));
  const pictures = {
    ...picturesOf(lines),
    ...(capacity === null ? {} : { capacity: capacityChart(capacity, lines) }),
  };
  for (const [name, chart] of Object.entries(pictures)) {
    const path = join(directory, `${name}.svg`);
    await writeFile(path, svgOf(chart));
    written.push(path);
  }
  return written;
}
