import type pg from 'pg';
import { readValue } from '../../../src/postgres/statements.ts';
import { testPool } from './pool.ts';

// Runs two or more actions on a real database in every order of their statements up to a number of interruptions, one
// statement at a time, with the real code between them. While a statement waits for another action's lock, the others
// continue, which doesn't count as an interruption.

/** The start, the actions and the invariants of a schedule. */
export interface InterleavedScenario<State> {
  /** Called before each schedule; creates its rows. */
  setUp(pool: pg.Pool): Promise<State>;
  /** The actions, which do the same concurrently. An error is the outcome of its action. */
  readonly actions: readonly ((pool: pg.Pool, state: State) => Promise<unknown>)[];
  /** Called when all have ended. Returns the problem, or null. */
  check(pool: pg.Pool, state: State, outcomes: readonly PromiseSettledResult<unknown>[]): Promise<string | null>;
}

export interface Interleavings {
  readonly schedules: number;
  /** The longest schedule, in statements. */
  readonly statements: number;
  /** The problem, with the schedule that shows it: the action that sent each statement. */
  readonly failure: { readonly problem: string; readonly schedule: readonly number[] } | null;
}

/** Maximum number of schedules. A larger scenario can't be explored here. */
const schedulesMax = 5_000;

/**
 * Runs every schedule, depth first, until one fails. Throws if there are too many.
 * @param interruptionsMax of one schedule: most races need one or two
 */
export async function exploreInterleavings<State>(
  url: string,
  scenario: InterleavedScenario<State>,
  interruptionsMax = 2,
): Promise<Interleavings> {
  const observer = testPool(url, 2);
  const pools = scenario.actions.map(() => testPool(url, 2));
  try {
    let prefix: readonly number[] | null = [];
    let schedules = 0;
    let statements = 0;
    while (prefix !== null) {
      const run = await runSchedule(observer, pools, scenario, { prefix, interruptionsMax });
      schedules += 1;
      statements = Math.max(statements, run.schedule.length);
      if (run.problem !== null)
        return { schedules, statements, failure: { problem: run.problem, schedule: run.schedule } };
      if (schedules > schedulesMax) throw new Error(`more than ${schedulesMax} schedules: make the scenario smaller`);
      prefix = nextPrefix(run.choices);
    }
    return { schedules, statements, failure: null };
  } finally {
    await Promise.all([observer, ...pools].map((pool) => pool.end()));
  }
}

interface Choice {
  readonly taken: number;
  readonly options: number;
}

/** The choices of the next schedule, depth first; null after the last. */
function nextPrefix(choices: readonly Choice[]): readonly number[] | null {
  const at = choices.findLastIndex(({ taken, options }) => taken + 1 < options);
  if (at < 0) return null;
  return [...choices.slice(0, at).map(({ taken }) => taken), (choices[at]?.taken ?? 0) + 1];
}

async function runSchedule<State>(
  observer: pg.Pool,
  pools: readonly pg.Pool[],
  { setUp, actions, check }: InterleavedScenario<State>,
  { prefix, interruptionsMax }: { readonly prefix: readonly number[]; readonly interruptionsMax: number },
) {
  const state = await setUp(observer);
  const actors = pools.map(() => new Actor());
  const outcomes = Promise.allSettled(
    actions.map(async (action, nth) => {
      const actor = actors[nth];
      const pool = pools[nth];
      if (actor === undefined || pool === undefined) throw new Error('each action has a pool');
      try {
        return await action(gated(pool, actor), state);
      } finally {
        actor.end();
      }
    }),
  );
  const choices: Choice[] = [];
  const schedule: number[] = [];
  let interruptions = 0;
  for (;;) {
    await Promise.all(actors.map((actor) => actor.settled(observer)));
    const ready = actors.filter((actor) => actor.state === 'asking');
    if (ready.length === 0) {
      if (actors.every((actor) => actor.state === 'ended')) break;
      // All remaining actions wait for locks. Postgres ends a deadlock after its deadlock_timeout.
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    // The last action comes first, because continuing it is not an interruption.
    const last = ready.find((actor) => actor === actors[schedule.at(-1) ?? -1]);
    const others = last !== undefined && interruptions >= interruptionsMax ? [] : ready.filter((one) => one !== last);
    // The actions are alike, so any of them may begin.
    const free = schedule.length === 0 ? ready.slice(0, 1) : others;
    const options = last === undefined ? free : [last, ...free];
    const taken = Math.min(prefix[choices.length] ?? 0, options.length - 1);
    choices.push({ taken, options: options.length });
    const actor = options[taken];
    if (actor === undefined) throw new Error('the choice is one of those that ask');
    if (last !== undefined && actor !== last) interruptions += 1;
    schedule.push(actors.indexOf(actor));
    actor.grant();
  }
  return { problem: await check(observer, state, await outcomes), schedule, choices };
}

/**
 * The state of an action: between statements, waiting for permission to send one, sending it, or waiting for a lock.
 */
class Actor {
  state: 'running' | 'asking' | 'sending' | 'blocked' | 'ended' = 'running';
  #granted = Promise.withResolvers<void>();
  #changed = Promise.withResolvers<void>();
  #pid: number | null = null;

  #become(state: Actor['state']): void {
    this.state = state;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async ask(): Promise<void> {
    this.#granted = Promise.withResolvers();
    this.#become('asking');
    await this.#granted.promise;
  }

  grant(): void {
    this.#become('sending');
    this.#granted.resolve();
  }

  sent(pid: number | null): void {
    this.#pid = pid;
  }

  answered(): void {
    this.#become('running');
  }

  end(): void {
    this.#become('ended');
  }

  /** Waits until the action asks for permission, has ended, or waits for a lock. */
  async settled(observer: pg.Pool): Promise<void> {
    while (this.state === 'running' || this.state === 'sending' || this.state === 'blocked') {
      const changed = this.#changed.promise;
      const soon = new Promise<'soon'>((resolve) => setTimeout(resolve, 3, 'soon'));
      if ((await Promise.race([changed, soon])) !== 'soon') continue;
      if (this.state !== 'sending' && this.state !== 'blocked') continue;
      if (await isBlocked(observer, this.#pid)) {
        this.state = 'blocked';
        return;
      }
      if (this.state === 'blocked') this.state = 'sending';
    }
  }
}

async function isBlocked(observer: pg.Pool, pid: number | null): Promise<boolean> {
  if (pid === null) return false;
  return readValue<boolean>(observer, 'select cardinality(pg_blocking_pids($1)) > 0 as blocked', [pid]);
}

/** Returns a pool whose statements wait for permission. */
function gated(pool: pg.Pool, actor: Actor): pg.Pool {
  const onClient = async (client: pg.PoolClient, given: readonly unknown[]): Promise<unknown> => {
    await actor.ask();
    actor.sent('processID' in client && typeof client.processID === 'number' ? client.processID : null);
    try {
      return await Reflect.apply(client.query, client, given);
    } finally {
      actor.answered();
    }
  };
  return new Proxy(pool, {
    get(target, name, receiver) {
      if (name === 'query') {
        return async (...args: readonly unknown[]) => {
          const client = await target.connect();
          try {
            return await onClient(client, args);
          } finally {
            client.release();
          }
        };
      }
      if (name === 'connect') {
        return async () => {
          const client = await target.connect();
          return new Proxy(client, {
            get: (inner, property) => {
              if (property === 'query') return (...args: readonly unknown[]) => onClient(inner, args);
              const value: unknown = Reflect.get(inner, property, inner);
              return typeof value === 'function' ? value.bind(inner) : value;
            },
          });
        };
      }
      return Reflect.get(target, name, receiver);
    },
  });
}
