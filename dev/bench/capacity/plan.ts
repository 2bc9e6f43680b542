import { indexBounds } from '../../../src/config/indexer.ts';
import { type Constants, type Lines, quantileAt } from './constants.ts';

// How many of each are needed. Averages only: `simulate.ts` says how long searches and changes then wait.

/** An operator's numbers. */
export interface Asked {
  /** Of one kind, in one index. */
  readonly rows: number;
  readonly changesPerSecond: number;
  readonly searchesPerSecond: number;
  /** Undefined: as many as need the fewest machines. */
  readonly shards: number | undefined;
  /** GENERATIONS_KEPT. */
  readonly kept: number;
  /** Of a machine; as fast as those of the benches. */
  readonly cores: number;
  /** Of a machine of Elasticsearch. */
  readonly memoryGb: number;
  /** 19 of 20 searches are to take less. */
  readonly p95Ms: number;
  readonly seed: number;
}

/** Processes that can follow the change log of one kind at the same time. */
export const readersOfProgram = indexBounds.syncParts;

/** What everything is planned to be busy at most; beyond, queues grow long before it is full. */
export const busyAtMost = 0.6;
/** One machine may fail. */
const copiesAtLeast = 2;
/** Elastic's advice for the size of a shard. https://www.elastic.co/docs/deploy-manage/production-guidance/optimize-performance/size-shards */
const shardBytesAtMost = 50e9;
/** The rest of a machine's memory is the heap's, as Elastic advises. */
const cachedAtMost = 0.5;
/** Of one cluster. Beyond, a plan is not sought. */
const machinesAtMost = 1_000;

/** Shards and where their copies lie. */
export interface Layout {
  readonly shards: number;
  /** Of each shard, with the first. */
  readonly copies: number;
  readonly machines: number;
  readonly copiesPerMachine: number;
  /** Share of its cores that the fullest machine has work for. */
  readonly busy: number;
}

export interface Plan {
  readonly asked: Asked;
  readonly layout: Layout;
  /** The same with any number of replicas, where that saves machines. */
  readonly withMoreReplicas: Layout | null;
  readonly apiProcesses: number;
  /** Processes that the changes are to be divided among. */
  readonly readers: number;
  /** What one reader would be busy. Beyond 1 it falls behind for ever. */
  readonly oneReaderBusy: number;
  readonly postgresCores: number;
}

/** There are no machines that bear it. */
export class NoPlanError extends Error {
  override readonly name = 'NoPlanError';
}

/** Core milliseconds that a search takes on one shard, in the mean, or a quantile of it. */
export function shardTime(lines: Lines, { searchMs, searchGrowth }: Constants, rowsOfShard: number) {
  const { rows, details } = lines['search-latency'];
  const times = (rowsOfShard / rows) ** searchGrowth.value;
  return {
    meanMs: searchMs.value * times,
    quantileMs: (share: number) => quantileAt(details.shares, details.floorMs, share) * times,
  };
}

/** Throws `NoPlanError`. */
export function planFor(asked: Asked, lines: Lines, constants: Constants): Plan {
  const find = (copies: number) => cheapest(asked, lines, constants, copies);
  const within = find(indexBounds.replicas + 1);
  const beyond = find(machinesAtMost);
  const layout = within ?? beyond;
  if (layout === null) {
    throw new NoPlanError(
      asked.shards === undefined
        ? `Not even ${machinesAtMost} machines of ${asked.cores} cores bear this within ${asked.p95Ms} ms. Ask for larger machines (--cores, --memory) or more time (--p95), or divide the searches among clusters.`
        : `Not even ${machinesAtMost} machines of ${asked.cores} cores bear this in ${asked.shards} shards within ${asked.p95Ms} ms. Leave out --shards, or ask for larger machines (--cores, --memory) or more time (--p95).`,
    );
  }
  const saves = beyond !== null && beyond.machines < layout.machines;
  const indices = 1 + asked.kept;
  const oneReaderBusy = (asked.changesPerSecond * indices * constants.syncMs.value) / 1_000;
  const postgresMs = constants.commitMs.value + indices * constants.readMs.value;
  return {
    asked,
    layout,
    withMoreReplicas: saves ? beyond : null,
    apiProcesses: Math.max(2, Math.ceil((asked.searchesPerSecond * constants.apiMs.value) / 1_000 / busyAtMost)),
    readers: Math.max(1, Math.ceil(oneReaderBusy / busyAtMost)),
    oneReaderBusy,
    // A rebuild reads on a connection of its own.
    postgresCores: Math.ceil(((asked.changesPerSecond * postgresMs) / 1_000 + 1) / busyAtMost),
  };
}

/** The layout of the fewest machines; of equal ones that with the fewest shards, then copies. Null where none is enough. */
function cheapest(asked: Asked, lines: Lines, constants: Constants, copiesAtMost: number): Layout | null {
  let best: Layout | null = null;
  for (const shards of shardsToTry(asked, constants)) {
    const { quantileMs, meanMs } = shardTime(lines, constants, asked.rows / shards);
    if (asked.searchesPerSecond > 0 && quantileMs(0.95) + constants.apiMs.value > asked.p95Ms) continue;
    const searchCores = (asked.searchesPerSecond * meanMs) / 1_000;
    const writeCores = (asked.changesPerSecond * (1 + asked.kept) * constants.writeMs.value) / 1_000 / shards;
    const shardBytes = (asked.rows / shards) * constants.indexBytes.value;
    const cached = Math.floor((asked.memoryGb * 1e9 * cachedAtMost) / shardBytes);
    for (let copies = copiesAtLeast; copies <= copiesAtMost; copies += 1) {
      const copyCores = searchCores / copies + writeCores;
      const layout = layoutOf({ shards, copies, cores: asked.cores, copyCores, cached });
      if (layout !== null && (best === null || layout.machines < best.machines)) best = layout;
    }
  }
  return best;
}

function shardsToTry({ rows, shards }: Asked, { indexBytes }: Constants): readonly number[] {
  if (shards !== undefined) return [shards];
  const fewest = Math.max(1, Math.ceil((rows * indexBytes.value) / shardBytesAtMost));
  const most = Math.min(indexBounds.shards, Math.max(fewest, Math.ceil(rows / leastRowsOfShard)));
  return Array.from({ length: Math.max(0, most - fewest + 1) }, (_, at) => fewest + at);
}

/** The time of a search does not shrink with smaller ones; the benches' smallest size is slower than ten times as many. */
const leastRowsOfShard = 100_000;

function layoutOf({
  shards,
  copies,
  cores,
  copyCores,
  cached,
}: {
  readonly shards: number;
  readonly copies: number;
  readonly cores: number;
  /** That one copy of a shard needs. */
  readonly copyCores: number;
  /** Copies that fit into a machine's memory. */
  readonly cached: number;
}): Layout | null {
  const copiesPerMachine = Math.min(shards, cached, Math.floor((cores * busyAtMost) / copyCores));
  if (copiesPerMachine < 1) return null;
  const machines = Math.max(copies, Math.ceil((shards * copies) / copiesPerMachine));
  if (machines > machinesAtMost) return null;
  const fullest = Math.ceil((shards * copies) / machines);
  return { shards, copies, machines, copiesPerMachine: fullest, busy: (fullest * copyCores) / cores };
}
