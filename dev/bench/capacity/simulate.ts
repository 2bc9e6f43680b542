import { defaultLimits } from '../../../indexer/limits.ts';
import { random } from '../../sample/random.ts';
import { quantileOf } from '../figures.ts';
import { follow, type Shards, searchAtRandom, type Writer, type WriteTimes, writeAll } from './actors.ts';
import { type Constants, type Lines, loaderMs } from './constants.ts';
import { Clock, Servers, SingleThread } from './events.ts';
import { type Layout, type Plan, shardTime } from './plan.ts';
import { batchDocuments, slotsOf } from './slots.ts';

// A plan under its load: searches that arrive at random, changes that arrive evenly, and a rebuild where one is asked for.

export interface Conditions {
  /** Of the searches and changes that were asked for. */
  readonly share: number;
  readonly readers: number;
  /** What a rebuild beside it is at. */
  readonly rebuild: 'none' | 'loading' | 'catching up';
  /** False: changes alone, for a minute. */
  readonly searching: boolean;
}

export interface Outcome {
  /** Null without searches. */
  readonly searchMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
  /** From commit to written, p99, of changes that were written. Null without changes. */
  readonly lagSeconds: number | null;
  /** Rows a second that the rebuild wrote. */
  readonly rebuiltPerSecond: number;
  /** Mean share of the cores of all machines of Elasticsearch. */
  readonly busy: number;
}

const searchesWanted = 20_000;
const seconds = { least: 0.5, most: 60 } as const;
const eventsAtMost = 2_000_000;

/** As long as enough searches need, and no longer than a person waits. */
function simulatedSeconds({ asked, layout }: Plan, constants: Constants, conditions: Conditions): number {
  const { share, readers, searching } = conditions;
  const searches = searching ? asked.searchesPerSecond * share : 0;
  const rounds = (readers * (1 + asked.kept) * 1_000) / defaultLimits.sync.roundPauseMs;
  const batches = (asked.changesPerSecond * share * (1 + asked.kept)) / batchDocuments(constants);
  const events = searches * (layout.shards + 2) + Math.max(rounds, batches) * layout.shards * layout.copies;
  const wanted = searches === 0 ? seconds.most : searchesWanted / searches;
  return Math.min(seconds.most, Math.max(seconds.least, Math.min(Math.max(wanted, 5), eventsAtMost / events)));
}

/** Runs a plan for some seconds of its time. The same seed gives the same outcome. */
export function simulate(plan: Plan, lines: Lines, constants: Constants, conditions: Conditions): Outcome {
  const { asked, layout } = plan;
  const clock = new Clock();
  const machines = Array.from({ length: layout.machines }, () => new Servers(clock, asked.cores));
  const shards = placed(layout, machines);
  const endMs = simulatedSeconds(plan, constants, conditions) * 1_000;
  const tookMs: number[] = [];
  const lagsMs: number[] = [];
  searchAtRandom(
    clock,
    {
      apis: Array.from({ length: plan.apiProcesses }, () => new SingleThread(clock, new Servers(clock, 1))),
      shards,
      times: {
        apiMs: constants.apiMs.value,
        shardMs: shardTime(lines, constants, asked.rows / layout.shards).quantileMs,
      },
    },
    {
      perSecond: conditions.searching ? asked.searchesPerSecond * conditions.share : 0,
      draw: random(`${asked.seed}|searches`),
      onAnswer: (ms) => tookMs.push(ms),
    },
  );
  const postgres = new Servers(clock, plan.postgresCores);
  for (const writer of readersOf(plan, constants, conditions, { clock, postgres, shards })) {
    follow(clock, writer, {
      perSecond: (asked.changesPerSecond * conditions.share) / conditions.readers,
      pauseMs: defaultLimits.sync.roundPauseMs,
      onWritten: (lagMs) => lagsMs.push(lagMs),
    });
  }
  const rebuilt = { rows: 0, ms: 0 };
  if (conditions.rebuild !== 'none') {
    const writer = rebuilderOf(lines, constants, conditions.rebuild, { clock, postgres, shards });
    const on = (documents: number): void => {
      rebuilt.rows += documents;
      rebuilt.ms = clock.nowMs;
    };
    writeAll(writer, asked.rows, on, () => undefined);
  }
  clock.runUntil(endMs);
  const busyMs = machines.reduce((sum, machine) => sum + machine.busyMs, 0);
  const quantile = (values: readonly number[], share: number): number => quantileOf(values, share);
  return {
    searchMs:
      tookMs.length === 0
        ? null
        : { p50: quantile(tookMs, 0.5), p95: quantile(tookMs, 0.95), p99: quantile(tookMs, 0.99) },
    lagSeconds: lagsMs.length === 0 ? null : quantile(lagsMs, 0.99) / 1_000,
    rebuiltPerSecond: rebuilt.ms === 0 ? 0 : (rebuilt.rows * 1_000) / rebuilt.ms,
    busy: Math.min(1, busyMs / (endMs * layout.machines * asked.cores)),
  };
}

/** Each copy on the machine that has the fewest, and never two of a shard on one. */
function placed({ shards, copies }: Layout, machines: readonly Servers[]): Shards {
  const held = new Map(machines.map((machine) => [machine, 0]));
  const placedCopies = Array.from({ length: shards }, (): Servers[] => []);
  for (let copy = 0; copy < copies; copy += 1) {
    for (const holders of placedCopies) {
      const free = machines.filter((machine) => !holders.includes(machine));
      const machine = free.reduce((best, one) => ((held.get(one) ?? 0) < (held.get(best) ?? 0) ? one : best));
      held.set(machine, (held.get(machine) ?? 0) + 1);
      holders.push(machine);
    }
  }
  return placedCopies;
}

interface Site {
  readonly clock: Clock;
  readonly postgres: Servers;
  readonly shards: Shards;
}

/** Of each process one writer for each index that it follows: they share its thread and its requests. */
function readersOf(plan: Plan, constants: Constants, { readers }: Conditions, site: Site): readonly Writer[] {
  const { clock, postgres, shards } = site;
  const times: WriteTimes = {
    readMs: constants.readMs.value,
    sendMs: constants.syncMs.value,
    writeMs: constants.writeMs.value,
    batchDocuments: batchDocuments(constants),
  };
  return Array.from({ length: readers }).flatMap(() => {
    const process = new SingleThread(clock, new Servers(clock, 1));
    const slots = slotsOf(clock, 'sync');
    return Array.from({ length: 1 + plan.asked.kept }, () => ({
      connection: new SingleThread(clock, postgres),
      process,
      ...slots,
      shards,
      times,
    }));
  });
}

/** The new index has one copy until it is built. */
function rebuilderOf(
  lines: Lines,
  constants: Constants,
  at: Exclude<Conditions['rebuild'], 'none'>,
  { clock, postgres, shards }: Site,
): Writer {
  const loading = at === 'loading';
  return {
    connection: new SingleThread(clock, postgres),
    process: new SingleThread(clock, new Servers(clock, 1)),
    ...slotsOf(clock, 'reindex'),
    shards: shards.map((copies) => copies.slice(0, 1)),
    times: {
      readMs: loading ? constants.feedMs.value : constants.readMs.value,
      sendMs: loading ? loaderMs(lines) : constants.syncMs.value,
      writeMs: constants.writeMs.value,
      batchDocuments: batchDocuments(constants),
    },
  };
}
