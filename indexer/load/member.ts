import type pg from 'pg';
import { sleep } from '../../src/lib/sleep.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
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
    if (this.#id !== workerId || this.#limit === 0 || !this.#hasLease()) throw new ClaimLostError();
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
    const seen = await inTransaction(this.#context.pool, (client) => this.#say(client), leaseMs);
    if (seen === undefined) {
      this.#ended.abort(new LoadEndedError('The reindex that was helped has ended, or does not answer.'));
      return;
    }
    this.#id = seen.id;
    this.#applyLimit(seen.limit);
    // Counted from before the statement, and ended early: the others' clock runs on Postgres.
    this.#leaseEndsMs = startMs + leaseMs * ownShareOfLease;
  }

  /** Undefined where the run is over. */
  async #say(client: pg.PoolClient): Promise<{ readonly id: number; readonly limit: number } | undefined> {
    const { runId, leads, name, limits } = this.#options;
    const { rows } = await client.query<{ requests: number }>(
      'select requests from search_load_runs where id = $1 for no key update',
      [runId],
    );
    const [run] = rows;
    if (run === undefined) return undefined;
    await client.query(
      `delete from search_load_workers
       where run_id = $1 and id is distinct from $2 and seen_at < clock_timestamp() - $3 * interval '1 ms'`,
      [runId, this.#id ?? null, limits.leaseMs],
    );
    const { rows: living } = await client.query<LivingWorker>(
      'select id, requests, leads from search_load_workers where run_id = $1 order by id',
      [runId],
    );
    if (!leads && !living.some((one) => one.leads)) return undefined;
    const others = living.filter(({ id }) => id !== this.#id);
    const isKnown = others.length < living.length;
    const share = nextShare({
      total: run.requests,
      rank: isKnown ? living.findIndex(({ id }) => id === this.#id) : others.length,
      workers: others.length + 1,
      held: others.reduce((sum, { requests }) => sum + requests, 0),
      limit: this.#limit,
      inFlight: this.#context.limiter.inFlight,
    });
    // Less from now on; more only when that is written.
    if (share.limit < this.#limit) this.#applyLimit(share.limit);
    const known = isKnown ? this.#id : undefined;
    const said = await client.query<{ id: number }>(
      known === undefined
        ? 'insert into search_load_workers (run_id, requests, name, leads) values ($1, $2, $3, $4) returning id'
        : 'update search_load_workers set seen_at = clock_timestamp(), requests = $2 where run_id = $1 and id = $3 returning id',
      known === undefined ? [runId, share.held, name, leads] : [runId, share.held, known],
    );
    const id = said.rows[0]?.id;
    if (id === undefined) throw new Error('Postgres answered no number for a worker of a load.');
    return { id, limit: share.limit };
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

/** A worker stops a while before others may take over. */
const ownShareOfLease = 0.8;
