import type pg from 'pg';
import { sleep } from '../../src/lib/sleep.ts';
import type { LoadLimits } from '../limits.ts';
import type { WriteContext } from '../write/write-context.ts';
import { ClaimLostError, LoadEndedError } from './errors.ts';
import { nextShare } from './share.ts';

// One process or thread among those that load for a run. It says every second that it is there, by which it takes its
// share of the requests; who has not said so for the length of a lease is deleted by the others, and its parts are free.

export interface MemberOptions {
  readonly runId: number;
  /** For people: program, host and process. */
  readonly name: string;
  readonly leads: boolean;
  readonly limits: LoadLimits;
  /** Of batches, for each request that this worker may have under way. */
  readonly bytesPerRequest: number;
}

interface LivingWorker {
  readonly id: number;
  readonly requests: number;
  readonly leads: boolean;
}

interface RunState {
  readonly requests: number;
  readonly turn: number;
  /** In the order in which they came. */
  readonly living: readonly LivingWorker[];
}

type MemberContext = Pick<WriteContext, 'pool' | 'limiter' | 'buffers' | 'nowMs'>;

export class LoadMember implements AsyncDisposable {
  readonly runId: number;
  readonly #context: MemberContext;
  readonly #options: MemberOptions;
  readonly #stopping = new AbortController();
  readonly #ended = new AbortController();
  #id: number | undefined;
  #limit = 0;
  /** Until when nobody takes what is ours. */
  #leaseEndsMs = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> = Promise.resolve();

  private constructor(context: MemberContext, options: MemberOptions) {
    this.#context = context;
    this.#options = options;
    this.runId = options.runId;
  }

  /** Joins a run. Throws `LoadEndedError` where it is over. */
  static async join(context: MemberContext, options: MemberOptions): Promise<LoadMember> {
    const member = new LoadMember(context, options);
    await member.#beat();
    member.#ended.signal.throwIfAborted();
    member.#beating = member.#keepBeating();
    return member;
  }

  /** Aborted with a `LoadEndedError` when the run is over, or nobody leads it. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Its number among the workers; another one after its lease had passed. Undefined while it may load nothing. */
  get workerId(): number | undefined {
    return this.#limit > 0 && this.#hasLease() ? this.#id : undefined;
  }

  /**
   * To be called right before something is sent under a number. Throws `ClaimLostError` where the lease has passed, such
   * as in a process that was paused: others may have loaded what it was about to send, and more.
   */
  assertClaims(workerId: number): void {
    if (!this.holds(workerId)) throw new ClaimLostError();
  }

  /** Whether what was claimed under a number is still this worker's, for certain. */
  holds(workerId: number): boolean {
    return this.#id === workerId && this.#limit > 0 && this.#hasLease();
  }

  #hasLease(): boolean {
    return this.#context.nowMs() < this.#leaseEndsMs;
  }

  async #keepBeating(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && !this.#ended.signal.aborted) {
      const { beatMs } = this.#options.limits;
      await sleep(this.#limit > 0 ? beatMs : Math.min(beatMs, withoutShareMs), signal).catch(() => undefined);
      if (signal.aborted) return;
      // While Postgres is away nothing is claimed or saved either; the lease passes.
      await this.#beat().catch(() => undefined);
    }
  }

  async #beat(): Promise<void> {
    const { leaseMs } = this.#options.limits;
    const startMs = this.#context.nowMs();
    const said = await this.#say();
    if (said === 'over') {
      this.#ended.abort(new LoadEndedError('The reindex that was helped has ended, or does not answer.'));
      return;
    }
    // Others took their shares meanwhile, again and again: the next time.
    if (said === 'outrun') return;
    this.#id = said.id;
    this.#applyLimit(said.limit);
    // Counted from before the statements, and ended early: the others' clock runs on Postgres.
    this.#leaseEndsMs = startMs + leaseMs * ownShareOfLease;
  }

  /**
   * Single statements, each of which Postgres ends by itself: a process that is paused between two of them keeps no lock
   * that the others would wait for.
   */
  async #say(): Promise<{ readonly id: number; readonly limit: number } | 'over' | 'outrun'> {
    const { runId, leads, limits } = this.#options;
    const { pool, limiter } = this.#context;
    for (let attempt = 1; attempt <= attemptsAtMost; attempt += 1) {
      await removeSilentWorkers(pool, { runId, workerId: this.#id, leaseMs: limits.leaseMs });
      const run = await readRun(pool, runId);
      if (run === undefined || !(leads || run.living.some((one) => one.leads))) return 'over';
      const others = run.living.filter(({ id }) => id !== this.#id);
      const own = run.living.find(({ id }) => id === this.#id);
      const share = nextShare({
        total: run.requests,
        rank: own === undefined ? others.length : run.living.indexOf(own),
        workers: others.length + 1,
        held: others.reduce((sum, { requests }) => sum + requests, 0),
        inFlight: limiter.inFlight,
      });
      // Less from now on; more only when that is written.
      if (share.limit < this.#limit) this.#applyLimit(share.limit);
      const id = await this.#write(run.turn, own, share.held);
      if (id !== undefined) return { id, limit: share.limit };
    }
    return 'outrun';
  }

  /** Undefined where another worker has changed its share since the turn, or this one is not known any more. */
  async #write(turn: number, own: LivingWorker | undefined, held: number): Promise<number | undefined> {
    const { pool } = this.#context;
    const { runId, name, leads } = this.#options;
    if (own === undefined) {
      const { rows } = await pool.query<{ id: number }>(
        `with mine as (update search_load_runs set turn = turn + 1 where id = $1 and turn = $2 returning id)
         insert into search_load_workers (run_id, requests, name, leads) select id, $3, $4, $5 from mine returning id`,
        [runId, turn, held, name, leads],
      );
      return rows[0]?.id;
    }
    // As long as nobody's share changes, all of them may say that they are there at the same time.
    const { rows } = await pool.query<{ id: number }>(
      held === own.requests
        ? 'update search_load_workers set seen_at = clock_timestamp() where id = $1 returning id'
        : `with mine as (update search_load_runs set turn = turn + 1 where id = $2 and turn = $3 returning id)
           update search_load_workers w set seen_at = clock_timestamp(), requests = $4 from mine
           where w.id = $1 and w.run_id = mine.id returning w.id`,
      held === own.requests ? [own.id] : [own.id, runId, turn, held],
    );
    return rows[0]?.id;
  }

  #applyLimit(limit: number): void {
    if (limit === this.#limit) return;
    this.#limit = limit;
    const { limiter, buffers } = this.#context;
    limiter.limitTo(Math.max(1, limit));
    buffers.resize(Math.max(1, limit) * this.#options.bytesPerRequest);
  }

  /** Leaves the run; what it had claimed is free at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#beating;
    this.#leaseEndsMs = Number.NEGATIVE_INFINITY;
    if (this.#id === undefined) return;
    // Where that fails, the lease ends.
    await this.#context.pool
      .query({ text: 'delete from search_load_workers where id = $1', values: [this.#id], query_timeout: 5_000 })
      .catch(() => undefined);
  }
}

/** Whoever waits for a share asks more often. */
const withoutShareMs = 100;

/** So often in a row others may be quicker. */
const attemptsAtMost = 5;

async function removeSilentWorkers(
  pool: pg.Pool,
  {
    runId,
    workerId,
    leaseMs,
  }: { readonly runId: number; readonly workerId: number | undefined; readonly leaseMs: number },
): Promise<void> {
  await pool.query({
    name: 'remove-silent-workers',
    text: `delete from search_load_workers
           where run_id = $1 and id is distinct from $2 and seen_at < clock_timestamp() - $3 * interval '1 ms'`,
    values: [runId, workerId ?? null, leaseMs],
  });
}

/** Undefined where the run is over. */
async function readRun(pool: pg.Pool, runId: number): Promise<RunState | undefined> {
  const { rows } = await pool.query<RunState>({
    name: 'read-load-run',
    text: `select requests, turn,
                  (select coalesce(json_agg(json_build_object('id', w.id, 'requests', w.requests, 'leads', w.leads)
                                            order by w.id), '[]')
                   from search_load_workers w where w.run_id = r.id) as living
           from search_load_runs r where id = $1`,
    values: [runId],
  });
  return rows[0];
}

/** A worker stops a while before others may take over. */
const ownShareOfLease = 0.8;
