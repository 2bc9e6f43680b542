import { defaultLimits } from '../../../indexer/limits.ts';
import { random } from '../../sample/random.ts';
import { quantileOf } from '../figures.ts';
import { follow, type SearchTimes, search, type Writer, writeAll } from './actors.ts';
import {
  bulkMs,
  constantsOf,
  type Lines,
  largestTwo,
  loaderMs,
  quantileAt,
  replaceMs,
  searchGrowth,
} from './constants.ts';
import { Clock, Servers, SingleThread } from './events.ts';
import { batchDocuments, slotsOf } from './slots.ts';

// The simulation is asked for what the benches measured: on their one machine, which Postgres, Elasticsearch, the
// programs and what loads them share. Only constants go in that other benches, or the floors, have measured.

/** A measured figure and the simulation's. */
export interface Validation {
  readonly what: string;
  readonly unit: string;
  readonly measured: number;
  readonly simulated: number;
  /** The simulated one less the measured one, as a share of it. */
  readonly error: number;
}

/** No prediction is to be further off; docs/performance.md says so. */
export const errorAtMost = 0.15;

/** As in dev/bench/benches: of `search` and `lag`. */
const connections = 16;
const lagPerSecond = 300;
const seed = 'bench machine';

export function validationsOf(lines: Lines): readonly Validation[] {
  const { reindex, sync, lag, search: searched } = lines;
  const waited = lines['search-latency'];
  const alone = latencies(lines);
  const grown = grownLatencies(lines);
  const measuredAt = (share: number) => quantileAt(waited.details.shares, waited.details.subjectMs, share);
  const large = waited.rows.toLocaleString('en');
  return [
    validation('search: through the API, 16 connections', 'searches/s', searched.subject, saturation(lines)),
    validation('search: the bare requests, 16 connections', 'searches/s', searched.floor, saturation(lines, 0)),
    validation('search-latency: p50', 'ms', measuredAt(0.5), alone(0.5)),
    validation('search-latency: p95', 'ms', measuredAt(0.95), alone(0.95)),
    validation(`p50 at ${large} rows, from growth alone`, 'ms', measuredAt(0.5), grown('p50Ms')),
    validation(`p95 at ${large} rows, from growth alone`, 'ms', measuredAt(0.95), grown('p95Ms')),
    validation('reindex', 'documents/s', reindex.subject, reindexPerSecond(lines)),
    validation('sync: a backlog', 'changes/s', sync.subject, syncPerSecond(lines)),
    validation('lag: p99', 's', lag.subject, lagSeconds(lines)),
  ];
}

function validation(what: string, unit: string, measured: number, simulated: number): Validation {
  return { what, unit, measured, simulated, error: simulated / measured - 1 };
}

function timesOf(lines: Lines, apiMs: number): SearchTimes {
  const { shares, floorMs } = lines['search-latency'].details;
  return { apiMs, shardMs: (share) => quantileAt(shares, floorMs, share) };
}

/** Searches a second of connections that each ask again as soon as they have an answer. */
function saturation(lines: Lines, apiMs = lines.search.details.cpuMsPerSearch): number {
  const clock = new Clock();
  const cores = new Servers(clock, lines.search.cores);
  const setting = { api: new SingleThread(clock, cores), shards: [[cores]], times: timesOf(lines, apiMs) };
  const draw = random(`${seed}|saturation`);
  let answered = 0;
  const ask = (): void =>
    search(setting, draw, () => {
      answered += 1;
      ask();
    });
  for (let connection = 0; connection < connections; connection += 1) ask();
  const seconds = 30;
  clock.runUntil(seconds * 1_000);
  return answered / seconds;
}

/** Quantiles of one search after another. */
function latencies(lines: Lines): (share: number) => number {
  const clock = new Clock();
  const cores = new Servers(clock, lines.search.cores);
  const times = timesOf(lines, lines.search.details.cpuMsPerSearch);
  const setting = { api: new SingleThread(clock, cores), shards: [[cores]], times };
  const draw = random(`${seed}|latency`);
  const tookMs: number[] = [];
  const ask = (): void => {
    const askedMs = clock.nowMs;
    search(setting, draw, () => {
      tookMs.push(clock.nowMs - askedMs);
      ask();
    });
  };
  ask();
  clock.runUntil(60_000);
  return (share) => quantileOf(tookMs, share);
}

/** At the rows of `search-latency`, by the law of growth from the smaller of the sizes that it was made of. */
function grownLatencies(lines: Lines): (of: 'p50Ms' | 'p95Ms') => number {
  const [small] = largestTwo(lines.growth);
  const apiMs = lines.search.details.cpuMsPerSearch;
  const times = (lines['search-latency'].rows / small.rows) ** searchGrowth(lines);
  return (of) => (small.details[of] - apiMs) * times + apiMs;
}

/** A program that writes on the benches' machine, to an index of one shard. */
function writerOf(clock: Clock, lines: Lines, { slots, ...times }: WriterGiven): Writer {
  const constants = constantsOf(lines);
  const cores = new Servers(clock, lines.reindex.cores);
  return {
    connection: new SingleThread(clock, cores),
    process: new SingleThread(clock, cores),
    ...slotsOf(clock, slots),
    shards: [[cores]],
    times: { ...times, readMs: constants.readMs.value, batchDocuments: batchDocuments(constants) },
  };
}

interface WriterGiven {
  readonly sendMs: number;
  readonly writeMs: number;
  readonly slots: 'sync' | 'reindex';
}

function secondsFor(clock: Clock, writer: Writer, documents: number): number {
  let endedMs = 0;
  const ended = (): void => {
    endedMs = clock.nowMs;
  };
  writeAll(writer, documents, () => undefined, ended);
  clock.runUntil(Number.POSITIVE_INFINITY);
  return endedMs / 1_000;
}

function reindexPerSecond(lines: Lines): number {
  const clock = new Clock();
  const given = { sendMs: loaderMs(lines), writeMs: bulkMs(lines), slots: 'reindex' } as const;
  return lines.reindex.rows / secondsFor(clock, writerOf(clock, lines, given), lines.reindex.rows);
}

/** With the start of its process, which the bench counts, too; that of an API process is what was measured of it. */
function syncPerSecond(lines: Lines): number {
  const clock = new Clock();
  const { changes } = lines.sync.details;
  const given = { sendMs: constantsOf(lines).syncMs.value, writeMs: replaceMs(lines), slots: 'sync' } as const;
  return changes / (secondsFor(clock, writerOf(clock, lines, given), changes) + lines.start.subject);
}

/** From a commit to being written, and from that to being found, which the floor has measured. */
function lagSeconds(lines: Lines): number {
  const clock = new Clock();
  const given = { sendMs: constantsOf(lines).syncMs.value, writeMs: replaceMs(lines), slots: 'sync' } as const;
  const lagsMs: number[] = [];
  follow(clock, writerOf(clock, lines, given), {
    perSecond: lagPerSecond,
    pauseMs: defaultLimits.sync.roundPauseMs,
    onWritten: (lagMs) => lagsMs.push(lagMs),
  });
  clock.runUntil(20_000);
  return quantileOf(lagsMs, 0.99) / 1_000 + lines.lag.floor;
}
