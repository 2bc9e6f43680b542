import type pg from 'pg';
import { currentOrigin } from '../generations/alias-conflict.ts';
import type { ReindexConfig } from '../reindex/config.ts';
import type { WriteContext } from '../write/write-context.ts';
import { LoadMember } from './member.ts';

/** What of a release decides whether its workers may load together. */
export async function releaseOf(pool: pg.Pool): Promise<string> {
  const { version, migrations } = await currentOrigin(pool);
  return `${version} with ${migrations} migrations`;
}

/**
 * One reindex as the leader of its loads, of all its kinds: others may help it, and share its budget. Nothing is written
 * before the first load begins.
 */
export class LoadRun implements AsyncDisposable {
  readonly #context: WriteContext<ReindexConfig>;
  readonly #name: string;
  #joining: Promise<LoadMember> | undefined;

  constructor(context: WriteContext<ReindexConfig>, name: string) {
    this.#context = context;
    this.#name = name;
  }

  /** This process among the workers; joined at the first call. */
  member(): Promise<LoadMember> {
    this.#joining ??= this.#begin().catch((error: unknown) => {
      this.#joining = undefined;
      throw error;
    });
    return this.#joining;
  }

  async #begin(): Promise<LoadMember> {
    const { pool, config } = this.#context;
    await removeOldRuns(pool);
    const { rows } = await pool.query<{ id: number }>(
      'insert into search_load_runs (release, requests, dead_letters) values ($1, $2, $3) returning id',
      [await releaseOf(pool), config.pressure.maxRequests, JSON.stringify(config.deadLetters)],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('Postgres answered no number for a load.');
    return LoadMember.join(this.#context, {
      runId: row.id,
      name: this.#name,
      leads: true,
      limits: config.load,
      bytesPerRequest: bytesPerRequest(config),
    });
  }

  /** Whoever helps learns within a second that there is nothing to help with. */
  async [Symbol.asyncDispose](): Promise<void> {
    const member = await this.#joining?.catch(() => undefined);
    if (member === undefined) return;
    await member[Symbol.asyncDispose]();
    // Where that fails, the next run removes it.
    await this.#context.pool
      .query({ text: 'delete from search_load_runs where id = $1', values: [member.runId], query_timeout: 5_000 })
      .catch(() => undefined);
  }
}

/** What a worker may hold in batches for each of its requests. */
export function bytesPerRequest({
  bytesInFlight,
  pressure,
}: Pick<ReindexConfig, 'bytesInFlight' | 'pressure'>): number {
  return bytesInFlight / pressure.maxRequests;
}

/** Runs that were killed. One that was only paused goes on within a day. */
async function removeOldRuns(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from search_load_runs r
     where started_at < now() - interval '1 day'
       and not exists (select from search_load_workers w
                       where w.run_id = r.id and w.seen_at > clock_timestamp() - interval '1 day')`,
  );
}
