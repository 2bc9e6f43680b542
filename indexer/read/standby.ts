import type pg from 'pg';
import { sleep } from '../../src/lib/sleep.ts';
import { RefusedError } from '../errors.ts';
import { flushWal } from './flush-wal.ts';
import { judgeStandby, readPrimary, type StandbyVerdict } from './standby-identity.ts';

// Documents can be read from a standby (DATABASE_READ_URL). A document must hold all that was committed when its version
// was drawn, so after that the primary is asked how far its WAL is, and the standby is read from once it has replayed as
// much. It is not waited for for long: the primary is read instead, and everybody is told.

/** It is another database, and always will be. */
export class ForeignStandbyError extends RefusedError {
  constructor(reason: string) {
    super(
      `DATABASE_READ_URL leads to no standby of the database at DATABASE_URL: ${reason}. Correct it, or leave it out.`,
    );
  }
}

export interface StandbyOptions {
  /** How long it may lag behind before the primary is read instead; while it does, it is not waited for again. */
  readonly waitMs: number;
  /** After a failure it is left alone for so long. */
  readonly awayMs: number;
  readonly nowMs: () => number;
  /** Why it is not read from; null when it is again. Told once for each reason. */
  readonly onChange: (reason: string | null) => void;
}

const lookEveryMs = 5;

/** A standby that documents are read from while it is as far as they have to be. */
export class Standby {
  readonly #primary: pg.Pool;
  readonly #pool: pg.Pool;
  readonly #options: StandbyOptions;
  #problem: string | null = null;
  #isLagging = false;
  #awayUntilMs = Number.NEGATIVE_INFINITY;

  constructor(primary: pg.Pool, pool: pg.Pool, options: StandbyOptions) {
    this.#primary = primary;
    this.#pool = pool;
    this.#options = options;
  }

  /**
   * A connection to the standby whose next snapshot sees all that was committed when `version` was drawn; undefined
   * where the primary is to be read. Throws `ForeignStandbyError`.
   */
  async lend(version: number): Promise<pg.PoolClient | undefined> {
    if (this.#options.nowMs() < this.#awayUntilMs) return undefined;
    const lsn = await flushWal(this.#primary);
    const needed = { ...(await readPrimary(this.#primary)), lsn, version };
    let client: pg.PoolClient | undefined;
    let verdict: StandbyVerdict;
    try {
      client = await this.#pool.connect();
      const untilMs = this.#options.nowMs() + (this.#isLagging ? 0 : this.#options.waitMs);
      verdict = await judgeStandby(client, needed);
      while (verdict.kind === 'lagging' && this.#options.nowMs() < untilMs) {
        await sleep(lookEveryMs);
        verdict = await judgeStandby(client, needed);
      }
    } catch (error) {
      client?.release(true);
      this.failed(error);
      return undefined;
    }
    this.#isLagging = verdict.kind === 'lagging';
    if (verdict.kind === 'good') {
      this.#tell(null);
      return client;
    }
    client.release();
    if (verdict.kind === 'foreign') throw new ForeignStandbyError(verdict.why);
    this.#tell(verdict.why);
    return undefined;
  }

  /** What was read from it came to nothing: the primary is read for a while. */
  failed(error: unknown): void {
    this.#awayUntilMs = this.#options.nowMs() + this.#options.awayMs;
    this.#tell(error instanceof Error ? error.message : String(error));
  }

  #tell(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onChange(problem);
  }
}

/** A standby belongs to the pool of its primary, which everything that reads documents is given. */
const standbys = new WeakMap<pg.Pool, Standby>();

/** From now on documents are read from the standby where they would be from the pool. */
export function readFrom(primary: pg.Pool, standby: Standby): void {
  standbys.set(primary, standby);
}

/** A connection to read documents with, of the standby or the primary. */
export interface Reader {
  readonly client: pg.PoolClient;
  /** Undefined for the primary. */
  readonly standby: Standby | undefined;
}

/** Lends a connection whose next snapshot sees all that was committed when the version was drawn. */
export async function lendReader(pool: pg.Pool, version: number): Promise<Reader> {
  const standby = standbys.get(pool);
  const client = await standby?.lend(version);
  return client === undefined ? { client: await pool.connect(), standby: undefined } : { client, standby };
}

/** Whether it still is a standby: if so, all that was read from it before was. */
export async function isStandby(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select pg_is_in_recovery() as there');
  return rows[0]?.there === true;
}

const promotedMeanwhile = new Error('it was promoted while it was read');

/**
 * Reads what has to be as new as the version: from the standby where there is one that is as far, else from the primary,
 * also where reading from the standby fails. `work` may therefore be done twice.
 */
export async function readAsOf<Result>(
  pool: pg.Pool,
  version: number,
  work: (database: pg.Pool | pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const standby = standbys.get(pool);
  const client = await standby?.lend(version);
  if (standby === undefined || client === undefined) return work(pool);
  let broken = true;
  try {
    const result = await work(client);
    if (!(await isStandby(client))) throw promotedMeanwhile;
    broken = false;
    return result;
  } catch (error) {
    standby.failed(error);
  } finally {
    client.release(broken);
  }
  return work(pool);
}
