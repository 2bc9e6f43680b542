import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import { mixedPaths } from '../queries.ts';
import { startSearchingApi } from '../searching-api.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';
import { loadOf } from './reindex.ts';

const largest = 1_000_000;
const largestP95Ms = 20;
const queriesCount = 300;
const usualSizes = [10_000, 100_000, 1_000_000] as const;

interface Size {
  readonly rows: number;
  readonly reindexPerSecond: number;
  readonly rssMaxMb: number;
  readonly cpuSeconds: number;
  readonly indexBytesPerRow: number;
  /** One value a round. */
  readonly p95Ms: readonly number[];
}

async function* run(setup: BenchSetup, wanted: ReadonlySet<BenchName>): AsyncGenerator<Measured> {
  const cap = setup.options.rows ?? largest;
  const sizes: Size[] = [];
  for (const rows of sizesUpTo(cap, wanted)) sizes.push(await measured(setup, rows, wanted.has('growth')));
  const [big, small] = [sizes.at(-1), sizes.find(({ rows }) => rows === Math.ceil(cap / 10))];
  if (wanted.has('memory') && big !== undefined && small !== undefined) yield memoryOf(big, small);
  const [first] = sizes;
  if (wanted.has('growth') && first !== undefined) for (const size of sizes) yield growthOf(size, first);
}

/** For growth the usual sizes and the largest; for memory that and a tenth of it. Ascending. */
export function sizesUpTo(cap: number, wanted: ReadonlySet<BenchName>): readonly number[] {
  const sizes = new Set<number>([Math.ceil(cap / 10), cap]);
  if (wanted.has('growth')) for (const size of usualSizes) if (size < cap) sizes.add(size);
  return [...sizes].sort((one, other) => one - other);
}

async function measured(setup: BenchSetup, rows: number, searched: boolean): Promise<Size> {
  const database = await setup.database(rows);
  setup.printLine(`Indexing ${database.rows} companies …`);
  await setup.removeIndices(database);
  const ran = await setup.reindex(database);
  try {
    const index = setup.alias(database);
    const stats = await setup.client.indices.stats({ index, metric: 'store' });
    const p95Ms = searched ? await p95OfRounds(setup, database) : [];
    return {
      rows: database.rows,
      reindexPerSecond: loadOf(ran, database.rows).perSecond,
      rssMaxMb: ran.usage.rssMaxMb,
      cpuSeconds: ran.usage.cpuSeconds,
      indexBytesPerRow: Math.round((stats._all.primaries?.store?.size_in_bytes ?? 0) / database.rows),
      p95Ms,
    };
  } finally {
    await setup.removeIndices(database);
  }
}

async function p95OfRounds(setup: BenchSetup, database: Database): Promise<readonly number[]> {
  const paths = await mixedPaths(database, queriesCount);
  await using api = await startSearchingApi(setup, database, setup.program(database), paths);
  const rounds: number[] = [];
  for (let round = 1; round <= setup.options.rounds; round += 1) rounds.push(await api.p95Ms());
  return rounds;
}

function memoryOf(big: Size, small: Size): Measured {
  return {
    bench: 'memory',
    unit: 'MB at the peak',
    rows: big.rows,
    subject: [big.rssMaxMb],
    floor: [small.rssMaxMb],
    sides: { subject: `entity-search reindex of ${big.rows} companies`, floor: `of ${small.rows}` },
    better: 'lower',
    goals: [
      { of: 'ratio', atMost: 1.1 },
      { of: 'subject', atMost: 180 },
    ],
    rssMaxMb: big.rssMaxMb,
    cpuSeconds: big.cpuSeconds,
  };
}

function growthOf(size: Size, first: Size): Measured {
  const times = size.rows / first.rows;
  const { p95Ms, rows, reindexPerSecond, indexBytesPerRow } = size;
  return {
    bench: 'growth',
    figure: `${rows} companies`,
    unit: 'ms (p95 of a search)',
    rows,
    subject: p95Ms,
    floor: size === first ? null : first.p95Ms,
    sides: { subject: `${rows} companies`, floor: size === first ? null : `${first.rows} companies` },
    better: 'lower',
    goals: [
      // Sub-linear: less than in proportion to the companies.
      ...(size === first ? [] : [{ of: 'ratio', atMost: times } as const]),
      ...(rows === largest ? [{ of: 'subject', atMost: largestP95Ms } as const] : []),
    ],
    rssMaxMb: size.rssMaxMb,
    cpuSeconds: size.cpuSeconds,
    details: { reindexPerSecond, indexBytesPerRow },
  };
}

export const growth: BenchGroup = { names: ['memory', 'growth'], run };
