import type { Pool } from 'pg';
import { z } from 'zod';
import type { LagConfig } from '../config/metrics.ts';
import { kindNames } from '../kinds/kind.ts';
import type { Clock, IndexLag } from '../ports.ts';

/** Longer than the server's own timeout: a server that is silent for longer is unreachable. */
const silenceMs = 500;

const both = z.tuple([z.unknown(), z.object({ rows: z.array(z.looseObject({})) })]);
const generationLag = z.object({
  kind: z.enum(kindNames),
  generation: z.string(),
  state: z.string(),
  /** The generation is halted, so its lag is unknown. */
  halted: z.boolean(),
  /** Number of missing entries of the change log; counting stops at 100,000. */
  rows: z.int(),
  /** Age of the oldest of these entries in seconds; 0 without entries. */
  seconds: z.number(),
  /** Documents that Elasticsearch rejected. */
  deadLetters: z.int(),
});

/** The position of one generation's reader. */
export type GenerationLag = Readonly<z.output<typeof generationLag>>;

const readers = `
  select kind, index_name as generation, state, halted is not null as halted, pending as rows, seconds,
         (select count(*)::int from search_dead_letters l where l.generation_id = search_lag.generation_id) as "deadLetters"
  from search_lag`;

/** The pause after a query, as a multiple of the time it took. */
const pausesPerLook = 10;

/** Number of failed polls after which the last lag is too old. */
const pollsBelieved = 3;

async function read(pool: Pool, timeoutMs: number): Promise<readonly GenerationLag[]> {
  // The server's own timeout: with a long change log, abandoned statements must not pile up.
  const bounded = `set local statement_timeout = ${timeoutMs}; ${readers}`;
  // Two statements have two results, which pg's types leave out.
  const results: unknown = await pool.query({ text: bounded, query_timeout: timeoutMs + silenceMs });
  return z.array(generationLag).parse(both.parse(results)[1].rows);
}

/** Postgres cancelled the statement at its timeout. */
function isTimedOut(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === '57014';
}

/** Polls the readers of the change log with one statement at a time, `everyMs` apart. */
export function pollLag(
  pool: Pool,
  { everyMs, timeoutMs }: LagConfig,
  clock: Clock,
  onFailure: (cause: unknown) => void,
) {
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
      // Failures are reported once, until a poll succeeds.
      if (!failing && !closed) onFailure(cause);
      failing = true;
      // After other failures, no statement is left running.
      tookMs = isTimedOut(cause) ? clock.elapsed() - atMs : 0;
    }
  }

  async function goOn(): Promise<void> {
    await once();
    if (closed) return;
    // The pause grows with the time of the query, so that polls use only a small share of one processor.
    const pauseMs = Math.max(everyMs, pausesPerLook * tookMs);
    timer = setTimeout(() => {
      running = goOn();
    }, pauseMs);
    timer.unref();
  }

  return {
    /** Undefined until the first poll, and if the last result is too old. */
    latest(): readonly GenerationLag[] | undefined {
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
export function liveIndexLag(readings: ReturnType<typeof pollLag>['latest']): IndexLag {
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
