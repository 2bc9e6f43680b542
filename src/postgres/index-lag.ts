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
    deadLetters: z.int(),
  }),
);

const readers = `
  select kind, index_name as generation, state, halted is not null as halted, pending as rows, seconds,
         (select count(*)::int from search_dead_letters l where l.generation_id = search_lag.generation_id) as "deadLetters"
  from search_lag`;

/** The last lag, and its poller. */
export interface LagPoll {
  /** Undefined while nothing is known, or only what is too old to be believed. */
  latest(): readonly GenerationLag[] | undefined;
  /** Asks at once, then again and again. */
  start(): void;
  close(): Promise<void>;
}

/** The pause after a query, as a multiple of the time it took. */
const pausesPerLook = 10;

/** Number of failed polls after which the last lag no longer counts. */
const pollsBelieved = 3;

async function read(pool: Pool, timeoutMs: number): Promise<readonly GenerationLag[]> {
  // The server ends it by itself: with a long log, abandoned statements must not pile up.
  const bounded = `set local statement_timeout = ${timeoutMs}; ${readers}`;
  // Two statements have two results, which pg's types leave out.
  const results: unknown = await pool.query({ text: bounded, query_timeout: timeoutMs + silenceMs });
  return found.parse(both.parse(results)[1].rows);
}

/** By Postgres, at the limit of the statement. */
function isTimedOut(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === '57014';
}

/** Follows the readers of the change log: one statement at a time, `everyMs` apart, whatever is asked of it. */
export function pollLag(
  pool: Pool,
  { everyMs, timeoutMs }: LagConfig,
  clock: Clock,
  onFailure: (cause: unknown) => void,
): LagPoll {
  let held: { readonly readings: readonly GenerationLag[]; readonly atMs: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let failing = false;
  let tookMs = 0;
  let closed = false;

  async function once(): Promise<void> {
    const atMs = clock.elapsed();
    try {
      held = { readings: await read(pool, timeoutMs), atMs };
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
export function liveIndexLag(readings: LagPoll['latest']): IndexLag {
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
