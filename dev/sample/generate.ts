import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { companyRow } from './companies.ts';
import { eventRow } from './events.ts';
import { investorRow } from './investors.ts';
import { personRow } from './people.ts';
import { SAMPLE_KINDS, type SampleKind, type SampleRowOf } from './rows.ts';
import { createWorld, SAMPLE_ROWS_MAX, type World } from './world.ts';

export type SampleCounts = Readonly<Record<SampleKind, number>>;

export interface SampleOptions {
  /** A whole number. The same seed always gives the same rows. */
  readonly seed: number;
  /** Rows per kind, from 0 to `SAMPLE_ROWS_MAX`. A smaller count gives the beginning of a larger one. */
  readonly counts: SampleCounts;
}

export const SAMPLE_DEFAULTS: SampleOptions = {
  seed: 1,
  counts: { companies: 1_000, people: 600, investors: 200, events: 300 },
};

/** Characters that are buffered before they are written to the file, which limits the memory for rows. */
const CHUNK_CHARACTERS = 128 * 1024;

const ROW_OF: { readonly [K in SampleKind]: (world: World, index: number) => SampleRowOf[K] } = {
  companies: companyRow,
  people: personRow,
  investors: investorRow,
  events: eventRow,
};

function* rowsOf<K extends SampleKind>(
  kind: K,
  world: World,
  count: number,
): Generator<SampleRowOf[K], void, undefined> {
  for (let index = 0; index < count; index += 1) yield ROW_OF[kind](world, index);
}

function checked({ seed, counts }: SampleOptions): void {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`seed must be a whole number, not ${seed}`);
  for (const kind of SAMPLE_KINDS) {
    const count = counts[kind];
    if (Number.isSafeInteger(count) && count >= 0 && count <= SAMPLE_ROWS_MAX) continue;
    throw new RangeError(`the count of ${kind} must be a whole number from 0 to ${SAMPLE_ROWS_MAX}, not ${count}`);
  }
}

/**
 * Generates fictional rows of each kind, one at a time as they are read. A row depends only on the seed and its
 * position. Relations stay within groups of 100 companies, 60 people, 20 investors and 30 events. So with counts in the
 * ratio 10 : 6 : 2 : 3, only the intended references lack a target. Throws a RangeError if a seed or count is not a
 * whole number in range.
 */
export function generateSample(options: SampleOptions): { readonly [K in SampleKind]: Iterable<SampleRowOf[K]> } {
  checked(options);
  const world = createWorld(options.seed);
  return {
    companies: rowsOf('companies', world, options.counts.companies),
    people: rowsOf('people', world, options.counts.people),
    investors: rowsOf('investors', world, options.counts.investors),
    events: rowsOf('events', world, options.counts.events),
  };
}

function* chunksOf(rows: Iterable<SampleRowOf[SampleKind]>): Generator<string, void, undefined> {
  let chunk = '';
  for (const row of rows) {
    chunk += `${JSON.stringify(row)}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

export async function writeSample(
  directory: string,
  options: SampleOptions = SAMPLE_DEFAULTS,
  signal: AbortSignal = new AbortController().signal,
): Promise<SampleCounts> {
  const sample = generateSample(options);
  await mkdir(directory, { recursive: true });
  for (const kind of SAMPLE_KINDS) {
    const path = join(directory, `${kind}.ndjson`);
    const unfinished = `${path}.part`;
    try {
      await pipeline(Readable.from(chunksOf(sample[kind])), createWriteStream(unfinished), { signal });
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await rename(unfinished, path);
  }
  return options.counts;
}
