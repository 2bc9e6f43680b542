import type { Random } from '../../sample/random.ts';
import { type Clock, type Servers, type SingleThread, whenAll } from './events.ts';

// Who works in a simulation: searches, readers of the change log, a loader. Each replays measured times.

/** Where the copies of one index's shards lie: for each shard, the cores of each machine that holds a copy. */
export type Shards = readonly (readonly Servers[])[];

/** What a search costs. */
export interface SearchTimes {
  readonly apiMs: number;
  /** On one shard, for a search that is harder than this share of all. */
  readonly shardMs: (share: number) => number;
}

/** Carries a search out: the API process, then every shard at once, each on the least busy of its copies. */
export function search(
  { api, shards, times }: { readonly api: SingleThread; readonly shards: Shards; readonly times: SearchTimes },
  draw: Random,
  done: () => void,
): void {
  // What is hard to find is hard to find in every shard.
  const shardMs = times.shardMs(draw.next());
  api.use(times.apiMs, () => {
    const answered = whenAll(shards.length, done);
    for (const copies of shards) leastBusy(copies)?.use(shardMs, answered);
  });
}

function leastBusy(copies: readonly Servers[]): Servers | undefined {
  let best = copies[0];
  for (const copy of copies) if (best === undefined || copy.present < best.present) best = copy;
  return best;
}

/** Searches that arrive at random, so many a second, until the clock stops. Tells what each took. */
export function searchAtRandom(
  clock: Clock,
  setting: { readonly apis: readonly SingleThread[]; readonly shards: Shards; readonly times: SearchTimes },
  {
    perSecond,
    draw,
    onAnswer,
  }: { readonly perSecond: number; readonly draw: Random; readonly onAnswer: (ms: number) => void },
): void {
  let asked = 0;
  const next = (): void => {
    const api = setting.apis[asked % setting.apis.length];
    asked += 1;
    const askedMs = clock.nowMs;
    if (api !== undefined) search({ ...setting, api }, draw, () => onAnswer(clock.nowMs - askedMs));
    clock.after((-Math.log(1 - draw.next()) * 1_000) / perSecond, next);
  };
  if (perSecond > 0) next();
}

/** What writing documents takes. */
export interface WriteTimes {
  /** Postgres, of one connection. */
  readonly readMs: number;
  /** The process that sends. */
  readonly sendMs: number;
  /** Elasticsearch, of one copy. */
  readonly writeMs: number;
  readonly batchDocuments: number;
}

/** A process that reads documents from Postgres and writes them to an index. */
export interface Writer {
  readonly connection: SingleThread;
  readonly process: SingleThread;
  /** Batches in memory at most: being filled, waiting and under way. */
  readonly buffers: Servers;
  /** `_bulk` requests under way, at most. */
  readonly requests: Servers;
  readonly shards: Shards;
  readonly times: WriteTimes;
}

/** Reads, sends and waits for one batch. `onRead` is called when the next one may be read. */
function writeBatch(writer: Writer, documents: number, onRead: () => void, onWritten: () => void): void {
  const { connection, process, buffers, requests, times } = writer;
  const end = (): void => {
    requests.leave();
    buffers.leave();
    onWritten();
  };
  buffers.enter(() =>
    connection.use(documents * times.readMs, () => {
      onRead();
      process.use(documents * times.sendMs, () => requests.enter(() => request(writer, documents, end)));
    }),
  );
}

/** Every shard at once, each its share of the documents. */
function request({ shards, times }: Writer, documents: number, done: () => void): void {
  const written = whenAll(shards.length, done);
  for (const copies of shards) writeShard(copies, (documents * times.writeMs) / shards.length, written);
}

/** The first copy, then all others at once, as Elasticsearch does. */
function writeShard([primary, ...replicas]: readonly Servers[], ms: number, done: () => void): void {
  primary?.use(ms, () => {
    if (replicas.length === 0) return done();
    const all = whenAll(replicas.length, done);
    for (const replica of replicas) replica.use(ms, all);
  });
}

/** Writes so many documents, batch after batch, as fast as may be. Calls back when all are written. */
export function writeAll(
  writer: Writer,
  documents: number,
  onBatch: (documents: number) => void,
  done: () => void,
): void {
  const batches = Math.ceil(documents / writer.times.batchDocuments);
  const written = whenAll(batches, done);
  const begin = (left: number): void => {
    if (left <= 0) return;
    const now = Math.min(left, writer.times.batchDocuments);
    writeBatch(
      writer,
      now,
      () => begin(left - now),
      () => {
        onBatch(now);
        written();
      },
    );
  };
  begin(documents);
}

/**
 * Follows changes that come evenly, in rounds: each takes what has come until it begins, and the next begins when it has
 * ended, and not before `pauseMs` have passed. Tells how long after their commit changes were written.
 */
export function follow(
  clock: Clock,
  writer: Writer,
  {
    perSecond,
    pauseMs,
    onWritten,
  }: { readonly perSecond: number; readonly pauseMs: number; readonly onWritten: (lagMs: number) => void },
): void {
  let taken = 0;
  const round = (): void => {
    const beganMs = clock.nowMs;
    const waiting = Math.floor((beganMs * perSecond) / 1_000) - taken;
    const first = taken;
    taken += Math.max(0, waiting);
    let acknowledged = 0;
    const end = (): void => clock.after(Math.max(1, pauseMs - (clock.nowMs - beganMs)), round);
    if (waiting <= 0) {
      end();
      return;
    }
    const onBatch = (documents: number): void => {
      // The youngest, the middle and the oldest of a batch speak for it.
      for (const share of [0, 0.5, 1]) {
        const committedMs = ((first + acknowledged + share * documents) * 1_000) / perSecond;
        onWritten(clock.nowMs - committedMs);
      }
      acknowledged += documents;
    };
    writeAll(writer, waiting, onBatch, end);
  };
  if (perSecond > 0) round();
}
