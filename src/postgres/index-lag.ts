import type { Pool } from 'pg';
import { z } from 'zod';
import type { LagConfig } from '../config/metrics.ts';
import { type KindName, kindNames } from '../kinds/kind.ts';
import type { Clock, IndexLag } from '../ports.ts';

/** The position of one generation's reader. */
export interface GenerationLag {
  readonly kind: KindName;
  readonly generation: string;
  readonly state: string;
  /** Nothing is read into it; how far it is behind is not known then. */
  readonly halted: boolean;
  /** Entries of the change log it does not have; counting stops at 100,000. */
  readonly rows: number;
  /** Age of the oldest of these; 0 for none. */
  readonly seconds: number;
  /** Documents that Elasticsearch rejected. */
  readonly deadLetters: number;
}

/** Longer than the server's own time-out: a server silent for longer is unreachable. */
const silenceMs = 500;

const both = z.tuple([z.unknown(), z.object({ rows: z.array(z.looseObject({})) })]);
const found = z.array(
  z.object({
    kind: z.enum(kindNames),
    generation: z.string(),
    state: z.string(),
    halted: z.boolean(),
    rows: z.int(),
    seconds: z.number(),
  }),
);
const withLetters = z.array(found.element.extend({ deadLetters: z.int() }));

const readers = `select kind, index_name as generation, state, halted is not null as halted, pending as rows, seconds
                 from search_lag`;
const readersAndLetters = `
  select lag.*, (select count(*)::int from search_dead_letters l
                 join search_generations g on g.id = l.generation_id where g.index_name = lag.generation) as "deadLetters"
  from (${readers}) as lag`;

/** The last lag, and its poller. */
export interface LagPoll<Reading> {
  /** Undefined while nothing is known, or only what is too old to be believed. */
  latest(): readonly Reading[] | undefined;
  /** Asks at once, then again and again. */
  start(): void;
  close(): Promise<void>;
}

/** The pause after a query, as a multiple of the time it took. */
const pausesPerLook = 10;

/** Number of failed polls after which the last lag no longer counts. */
const pollsBelieved = 3;

/** Follows the readers of the change log: one statement at a time, `everyMs` apart, whatever is asked of it. */
export function pollLag(pool: Pool, settings: LagConfig, clock: Clock, onFailure: (cause: unknown) => void) {
  return poll(
    async () => found.parse(await queryWithin(pool, readers, settings.timeoutMs)),
    settings,
    clock,
    onFailure,
  );
}

/** The same, with each generation's dead letters. */
export function pollGenerations(
  pool: Pool,
  settings: LagConfig,
  clock: Clock,
  onFailure: (cause: unknown) => void,
): LagPoll<GenerationLag> {
  const read = async () => withLetters.parse(await queryWithin(pool, readersAndLetters, settings.timeoutMs));
  return poll(read, settings, clock, onFailure);
}

/** `text` holds no parameters: a query of two statements can have none. */
async function queryWithin(pool: Pool, text: string, timeoutMs: number): Promise<readonly object[]> {
  // The server ends it by itself: with a long log, abandoned statements must not pile up.
  const bounded = `set local statement_timeout = ${timeoutMs}; ${text}`;
  // Two statements have two results, which pg's types leave out.
  const results: unknown = await pool.query({ text: bounded, query_timeout: timeoutMs + silenceMs });
  return both.parse(results)[1].rows;
}

/** By Postgres, at the limit of the statement. */
function isTimedOut(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === '57014';
}

function poll<Reading>(
  read: () => Promise<readonly Reading[]>,
  { everyMs, timeoutMs }: LagConfig,
  clock: Clock,
  onFailure: (cause: unknown) => void,
): LagPoll<Reading> {
  let held: { readonly readings: readonly Reading[]; readonly atMs: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let failing = false;
  let tookMs = 0;
  let closed = false;

  async function once(): Promise<void> {
    const atMs = clock.elapsed();
    try {
      held = { readings: await read(), atMs };
      tookMs = clock.elapsed() - atMs;
      failing = false;
    } catch (cause) {
      // Reported once: the next query is soon.
      if (!failing && !closed) onFailure(cause);
      failing = true;
      // Other failures leave no work in Postgres.
      tookMs = isTimedOut(cause) ? clock.elapsed() - atMs : 0;
    }
  }

  async function goOn(): Promise<void> {
    await once();
    if (closed) return;
    // After the answer, and later if it took long: at most a part of one of Postgres'
    // processors, whatever the lag of the indices.
    const pauseMs = Math.max(everyMs, pausesPerLook * tookMs);
    timer = setTimeout(() => {
      running = goOn();
    }, pauseMs);
    timer.unref();
  }

  return {
    latest() {
      if (held === undefined) return undefined;
      const tooOldMs = pollsBelieved * (everyMs + timeoutMs) + pausesPerLook * tookMs;
      return clock.elapsed() - held.atMs <= tooOldMs ? held.readings : undefined;
    },
    start() {
      running = goOn();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Returns the lag of the searched indices from a poll's result. */
export function liveIndexLag(readings: () => readonly Omit<GenerationLag, 'deadLetters'>[] | undefined): IndexLag {
  return {
    seconds(kinds) {
      const known = readings()?.filter(({ state }) => state === 'live');
      if (known === undefined) return null;
      let worst = 0;
      for (const kind of kinds) {
        const live = known.find((one) => one.kind === kind);
        if (live === undefined || live.halted) return null;
        worst = Math.max(worst, live.seconds);
      }
      return worst;
    },
  };
}
