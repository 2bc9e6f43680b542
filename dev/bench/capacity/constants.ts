import { z } from 'zod';
import { medianOf } from '../figures.ts';

// What a plan is computed from: measured by the benches, read from a file of their figures, and named with its source.

const numbers = z.array(z.number().positive()).min(1);
const line = z.object({
  bench: z.string(),
  rows: z.number().positive(),
  cores: z.number().positive(),
  subject: z.number().positive(),
  rounds: z.object({ subject: numbers }),
});
const withFloor = line.extend({ floor: z.number().positive() });
const shapes = {
  start: line.extend({ bench: z.literal('start') }),
  writers: line.extend({ bench: z.literal('writers') }),
  feeder: withFloor.extend({ bench: z.literal('feeder') }),
  memory: line.extend({ bench: z.literal('memory') }),
  verify: line.extend({ bench: z.literal('verify') }),
  reindex: withFloor.extend({
    bench: z.literal('reindex'),
    cpuSeconds: z.number().positive(),
    details: z.object({
      loads: z.array(z.object({ loadSeconds: z.number(), verifySeconds: z.number(), wallSeconds: z.number() })).min(1),
      bytes: z.number().positive(),
      documents: z.number().positive(),
      floorCpuSeconds: z.number().positive(),
    }),
  }),
  sync: withFloor.extend({
    bench: z.literal('sync'),
    cpuSeconds: z.number().positive(),
    rssMaxMb: z.number().positive(),
    details: z.object({ changes: z.number().positive() }),
  }),
  lag: withFloor.extend({ bench: z.literal('lag') }),
  search: withFloor.extend({
    bench: z.literal('search'),
    rssMaxMb: z.number().positive(),
    details: z.object({ cpuMsPerSearch: z.number().positive() }),
  }),
  'search-latency': line.extend({
    bench: z.literal('search-latency'),
    details: z.object({ shares: numbers, subjectMs: numbers, floorMs: numbers }),
  }),
} as const;
const growthLine = line.extend({
  bench: z.literal('growth'),
  cpuSeconds: z.number().positive(),
  details: z.object({
    p50Ms: z.number().positive(),
    p95Ms: z.number().positive(),
    reindexPerSecond: z.number().positive(),
    indexBytesPerRow: z.number().positive(),
  }),
});
type Shapes = typeof shapes;
type Growth = z.infer<typeof growthLine>;

/** The lines that a plan needs, by their benches. */
export type Lines = { readonly [Name in keyof Shapes]: z.infer<Shapes[Name]> } & {
  /** By rows, ascending; at least two. */
  readonly growth: readonly [Growth, Growth, ...Growth[]];
};

/** A file of figures lacks what a plan is computed from. */
export class MissingFiguresError extends Error {
  override readonly name = 'MissingFiguresError';
}

/** Picks the lines of each bench; where one comes twice, the later one. Throws `MissingFiguresError`. */
export function linesOf(figures: readonly unknown[]): Lines {
  const grown = new Map(figures.flatMap((one) => growthLine.safeParse(one).data ?? []).map((one) => [one.rows, one]));
  const [first, second, ...others] = [...grown.values()].sort((one, other) => one.rows - other.rows);
  if (first === undefined || second === undefined) throw missing('growth');
  return {
    start: lastOf(figures, 'start', shapes.start),
    writers: lastOf(figures, 'writers', shapes.writers),
    feeder: lastOf(figures, 'feeder', shapes.feeder),
    memory: lastOf(figures, 'memory', shapes.memory),
    verify: lastOf(figures, 'verify', shapes.verify),
    reindex: lastOf(figures, 'reindex', shapes.reindex),
    sync: lastOf(figures, 'sync', shapes.sync),
    lag: lastOf(figures, 'lag', shapes.lag),
    search: lastOf(figures, 'search', shapes.search),
    'search-latency': lastOf(figures, 'search-latency', shapes['search-latency']),
    growth: [first, second, ...others],
  };
}

function lastOf<Line>(figures: readonly unknown[], bench: string, shape: z.ZodType<Line>): Line {
  const found = figures.flatMap((one) => shape.safeParse(one).data ?? []).at(-1);
  if (found === undefined) throw missing(bench);
  return found;
}

function missing(bench: string): MissingFiguresError {
  return new MissingFiguresError(
    `The figures have no line of the bench ${bench} that a plan can use. Measure it: npm run -s bench -- ${bench} >> FILE`,
  );
}

/** A measured number. */
export interface Constant {
  readonly value: number;
  readonly unit: string;
  readonly what: string;
  /** The bench that measured it, and how it follows from that. */
  readonly from: string;
}

type Named<Name extends string> = { readonly [Each in Name]: Constant };

export type Constants = Named<
  | 'searchMs'
  | 'searchGrowth'
  | 'apiMs'
  | 'apiMb'
  | 'writeMs'
  | 'syncMs'
  | 'syncMb'
  | 'readMs'
  | 'feedMs'
  | 'reindexMb'
  | 'commitMs'
  | 'documentBytes'
  | 'indexBytes'
  | 'verifyMs'
  | 'finishMs'
  | 'foundSeconds'
>;

/** Milliseconds of one core for each, of a machine that did nothing else and nothing less. */
function coreMs(cores: number, perSecond: number): number {
  return (cores * 1_000) / perSecond;
}

/** CPU time of a process for each of what it did in all rounds, in ms. */
function cpuMs(cpuSeconds: number, rounds: number, each: number): number {
  return (cpuSeconds * 1_000) / (rounds * each);
}

/** Elasticsearch's part of raw `_bulk`: the machine less the program that sends. */
export function bulkMs({ reindex }: Pick<Lines, 'reindex'>): number {
  const { rows, rounds, details } = reindex;
  return coreMs(reindex.cores, reindex.floor) - cpuMs(details.floorCpuSeconds, rounds.subject.length, rows);
}

/** The same where documents replace others. */
export function replaceMs(lines: Pick<Lines, 'reindex' | 'sync'>): number {
  const { rows, rounds, details } = lines.reindex;
  return coreMs(lines.sync.cores, lines.sync.floor) - cpuMs(details.floorCpuSeconds, rounds.subject.length, rows);
}

/** CPU time of a `reindex` process for each row, in ms. */
export function loaderMs({ reindex }: Pick<Lines, 'reindex'>): number {
  return cpuMs(reindex.cpuSeconds, reindex.rounds.subject.length, reindex.rows);
}

/** How the time of a search grows with the rows of a shard: as their power. Of the two largest sizes, without the API. */
export function searchGrowth({ growth, search }: Pick<Lines, 'growth' | 'search'>): number {
  const [small, large] = largestTwo(growth);
  const apiMs = search.details.cpuMsPerSearch;
  const times = large.rows / small.rows;
  const power = (of: 'p50Ms' | 'p95Ms') =>
    Math.log((large.details[of] - apiMs) / (small.details[of] - apiMs)) / Math.log(times);
  // No more than in proportion, and never faster in more rows, whatever a noisy run says.
  return Math.min(1, Math.max(0, (power('p50Ms') + power('p95Ms')) / 2));
}

export function largestTwo(growth: Lines['growth']): readonly [Growth, Growth] {
  const [first, second] = growth;
  return [growth.at(-2) ?? first, growth.at(-1) ?? second];
}

/** All of them. Where several lines measured the same, the dearest is taken, and said. */
export function constantsOf(lines: Lines): Constants {
  const { reindex, sync, search, feeder, growth } = lines;
  const [smaller, largest] = largestTwo(growth);
  const readMs = 1_000 / feeder.floor;
  const grownMs =
    coreMs(largest.cores, largest.details.reindexPerSecond) - readMs - cpuMs(largest.cpuSeconds, 1, largest.rows);
  const finish = reindex.details.loads.map(({ wallSeconds, loadSeconds, verifySeconds }) =>
    Math.max(0, wallSeconds - loadSeconds - verifySeconds),
  );
  const waited = lines['search-latency'];
  const constant = (value: number, unit: string, what: string, from: string): Constant => ({ value, unit, what, from });
  return {
    searchMs: constant(
      meanOf(waited.details.shares, waited.details.floorMs),
      'core ms',
      `Elasticsearch's time for a search of ${waited.rows.toLocaleString('en')} rows, in the mean`,
      'search-latency: details.floorMs, replayed with its spread',
    ),
    searchGrowth: constant(
      searchGrowth(lines),
      'power of the rows',
      'how that time grows with the rows of a shard',
      `growth: from ${smaller.rows.toLocaleString('en')} to ${largest.rows.toLocaleString('en')} companies`,
    ),
    apiMs: constant(
      search.details.cpuMsPerSearch,
      'core ms',
      'API process, a search',
      'search: details.cpuMsPerSearch',
    ),
    apiMb: constant(search.rssMaxMb, 'MB', 'API process', 'search: rssMaxMb'),
    writeMs: constant(
      Math.max(bulkMs(lines), replaceMs(lines), grownMs),
      'core ms',
      'Elasticsearch, a document written to one copy',
      `the dearest of reindex (floor), sync (floor) and growth (reindexPerSecond at ${largest.rows.toLocaleString('en')})`,
    ),
    syncMs: constant(
      cpuMs(sync.cpuSeconds, sync.rounds.subject.length, sync.details.changes),
      'core ms',
      'sync process, a change to one index',
      'sync: cpuSeconds',
    ),
    syncMb: constant(sync.rssMaxMb, 'MB', 'sync process', 'sync: rssMaxMb'),
    readMs: constant(readMs, 'core ms', 'Postgres, a document read', 'feeder: floor (COPY, one connection)'),
    feedMs: constant(1_000 / feeder.subject, 'ms', 'one loader, a document, with nothing behind it', 'feeder: subject'),
    reindexMb: constant(lines.memory.subject, 'MB', 'reindex process', 'memory: subject'),
    commitMs: constant(
      coreMs(lines.writers.cores, lines.writers.subject),
      'core ms',
      'Postgres, a change committed and logged, with the program that writes',
      'writers: subject',
    ),
    documentBytes: constant(
      reindex.details.bytes / reindex.details.documents,
      'bytes',
      'a document in a _bulk request',
      'reindex: details.bytes',
    ),
    indexBytes: constant(
      largest.details.indexBytesPerRow,
      'bytes',
      'a row in one copy of an index',
      'growth: details.indexBytesPerRow',
    ),
    verifyMs: constant(1_000 / lines.verify.subject, 'ms', 'comparing a row with its document', 'verify: subject'),
    finishMs: constant(
      (medianOf(finish) * 1_000) / reindex.rows,
      'ms',
      'the rest of a reindex for each row of a shard: segments merged, swap',
      'reindex: details.loads, wall less load and verify',
    ),
    foundSeconds: constant(lines.lag.floor, 's', 'until a written document is found (p99)', 'lag: floor'),
  };
}

/** The mean of a distribution that is known by some quantiles; straight lines between them. */
export function meanOf(shares: readonly number[], values: readonly number[]): number {
  const steps = 2_000;
  let sum = 0;
  for (let step = 0; step < steps; step += 1) sum += quantileAt(shares, values, (step + 0.5) / steps);
  return sum / steps;
}

/** The value at a share from 0 to 1. Beyond the first and the last known one it is theirs. */
export function quantileAt(shares: readonly number[], values: readonly number[], share: number): number {
  const after = shares.findIndex((known) => known >= share);
  const last = values.at(-1) ?? 0;
  if (after === -1) return last;
  const [high, highShare] = [values[after] ?? last, shares[after] ?? 1];
  const [low, lowShare] = [values[after - 1] ?? high, shares[after - 1] ?? 0];
  return highShare === lowShare ? high : low + ((high - low) * (share - lowShare)) / (highShare - lowShare);
}
