import type pg from 'pg';
import { inTransaction } from '../../src/postgres/pool.ts';
import { codeOf } from '../errors.ts';
import type { Generation } from '../generations/generations.ts';
import type { GenerationState } from '../generations/model.ts';
import type { LoadLimits } from '../limits.ts';
import type { IdRange } from '../read/read-all.ts';
import { cutParts } from './cut.ts';
import { ClaimLostError } from './errors.ts';

// The parts of a load, in Postgres: cut once, claimed by one worker at a time, and gone with the next reindex. Who has
// a claim is who may save how far a part is; what is sent twice does no harm (docs/indexing.md).

/** How far a part is: everything up to an id is acknowledged. */
export interface PartPoint {
  readonly part: number;
  readonly resumeId: number;
  readonly rows: number;
  readonly bytes: number;
  readonly done: boolean;
}

export interface ClaimedPart extends IdRange, Omit<PartPoint, 'done'> {}

/** Where a load stands, as all its workers have saved it. */
export interface LoadState {
  readonly generationState: GenerationState;
  /** Whose load it is; null: nobody's. */
  readonly runId: number | null;
  readonly stopped: string | null;
  /** Some parts are gone, or all. */
  readonly isTorn: boolean;
  /** Parts that are not done, and those of them that nobody has. */
  readonly open: number;
  readonly free: number;
  readonly rows: number;
  readonly bytes: number;
  readonly deadLetters: number;
}

/**
 * Makes a load the run's own: cuts a generation's kind into parts, or takes the parts that an earlier run left, from whose
 * workers it takes their claims. To be called under the kind's lifecycle lock.
 */
export async function openLoad(
  pool: pg.Pool,
  generation: Generation,
  { runId, limits }: { readonly runId: number; readonly limits: LoadLimits },
): Promise<void> {
  await removeEndedLoads(pool);
  const left = await readLoad(pool, generation);
  if (left !== undefined && !left.isTorn) {
    await pool.query('update search_loads set run_id = $2, stopped = null where generation_id = $1', [
      generation.id,
      runId,
    ]);
    await pool.query('update search_load_parts set worker_id = null where generation_id = $1 and not done', [
      generation.id,
    ]);
    return;
  }
  // A release before this one kept one place for the whole load.
  const before = left === undefined ? await readResumePoint(pool, generation) : undefined;
  const ranges = await cutParts(pool, generation.kind, before?.resumeId ?? 0, limits);
  const done = before === undefined ? [] : [{ afterId: 0, upToId: before.resumeId, ...before }];
  const parts = [...done, ...ranges.map((range) => ({ ...range, resumeId: range.afterId, rows: 0, bytes: 0 }))];
  await inTransaction(pool, async (client) => {
    await client.query('delete from search_loads where generation_id = $1', [generation.id]);
    await client.query('insert into search_loads (generation_id, run_id, parts) values ($1, $2, $3)', [
      generation.id,
      runId,
      parts.length,
    ]);
    await client.query(
      `insert into search_load_parts (generation_id, part, after_id, up_to_id, resume_id, rows, bytes, done)
       select $1, part.n, part.after_id, part.up_to_id, part.resume_id, part.rows, part.bytes, part.n <= $7
       from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) with ordinality
         as part (after_id, up_to_id, resume_id, rows, bytes, n)`,
      [
        generation.id,
        parts.map(({ afterId }) => afterId),
        parts.map(({ upToId }) => upToId),
        parts.map(({ resumeId }) => resumeId),
        parts.map(({ rows }) => rows),
        parts.map(({ bytes }) => bytes),
        done.length,
      ],
    );
  });
}

/** Nobody goes back to them. */
async function removeEndedLoads(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from search_loads l using search_generations g
     where g.id = l.generation_id and (g.ended_at is not null or g.state not in ('planned', 'created', 'loading'))`,
  );
}

async function readResumePoint(
  pool: pg.Pool,
  generation: Generation,
): Promise<Omit<PartPoint, 'part' | 'done'> | undefined> {
  const { rows } = await pool.query<Omit<PartPoint, 'part' | 'done'>>(
    `select resume_id as "resumeId", rows_read as rows, bytes from search_generations where id = $1 and resume_id > 0`,
    [generation.id],
  );
  return rows[0];
}

/** Undefined where the load was never opened, or was removed. */
export async function readLoad(pool: pg.Pool, generation: { readonly id: number }): Promise<LoadState | undefined> {
  const { rows } = await pool.query<LoadState>({
    name: 'read-load',
    text: `
      select g.state as "generationState", l.run_id as "runId", l.stopped, p.parts <> l.parts as "isTorn",
             p.open::int, p.free::int, p.rows::bigint, p.bytes::bigint,
             (select count(*) from search_dead_letters d where d.generation_id = g.id) as "deadLetters"
      from search_loads l join search_generations g on g.id = l.generation_id
      cross join lateral (
        select count(*) as parts, count(*) filter (where not done) as open,
               count(*) filter (where not done and worker_id is null) as free,
               coalesce(sum(rows), 0) as rows, coalesce(sum(bytes), 0) as bytes
        from search_load_parts where generation_id = l.generation_id
      ) as p
      where l.generation_id = $1`,
    values: [generation.id],
  });
  return rows[0];
}

/**
 * Claims the first part that nobody has; undefined where there is none, or the load is not this run's. Throws
 * `ClaimLostError` where the worker is not known any more.
 */
export async function claimPart(
  pool: pg.Pool,
  generation: { readonly id: number },
  { workerId, runId }: { readonly workerId: number; readonly runId: number },
): Promise<ClaimedPart | undefined> {
  try {
    const { rows } = await pool.query<ClaimedPart>(
      `update search_load_parts set worker_id = $2
       where generation_id = $1 and part = (
         select p.part from search_load_parts p join search_loads l on l.generation_id = p.generation_id
         where p.generation_id = $1 and l.run_id = $3 and l.stopped is null and not p.done and p.worker_id is null
         order by p.part limit 1 for update of p skip locked)
       returning part, after_id as "afterId", up_to_id as "upToId", resume_id as "resumeId", rows, bytes`,
      [generation.id, workerId, runId],
    );
    return rows[0];
  } catch (error) {
    if (codeOf(error) === foreignKeyViolation) throw new ClaimLostError();
    throw error;
  }
}

const foreignKeyViolation = '23503';

/** Saves how far a worker's parts are. Throws `ClaimLostError` where one of them is not its own any more. */
export async function savePoints(
  pool: pg.Pool,
  generation: { readonly id: number },
  workerId: number,
  points: readonly PartPoint[],
): Promise<void> {
  if (points.length === 0) return;
  const { rowCount } = await pool.query(
    `update search_load_parts p
     set resume_id = point.resume_id, rows = point.rows, bytes = point.bytes, done = point.done,
         worker_id = case when point.done then null else p.worker_id end
     from unnest($3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[])
       as point (part, resume_id, rows, bytes, done)
     where p.generation_id = $1 and p.worker_id = $2 and p.part = point.part`,
    [
      generation.id,
      workerId,
      points.map(({ part }) => part),
      points.map(({ resumeId }) => resumeId),
      points.map(({ rows }) => rows),
      points.map(({ bytes }) => bytes),
      points.map(({ done }) => done),
    ],
  );
  if (rowCount !== points.length) throw new ClaimLostError();
}

/** Lets others have what a worker has of a load. */
export async function releaseParts(
  pool: pg.Pool,
  generation: { readonly id: number },
  workerId: number,
): Promise<void> {
  await pool.query('update search_load_parts set worker_id = null where generation_id = $1 and worker_id = $2', [
    generation.id,
    workerId,
  ]);
}

/** Keeps everybody from going on with a load until it is resumed; the first reason counts. */
export async function stopLoad(pool: pg.Pool, generation: { readonly id: number }, why: string): Promise<void> {
  await pool.query('update search_loads set stopped = coalesce(stopped, $2) where generation_id = $1', [
    generation.id,
    why,
  ]);
}

/** Shows in the account of the generation how far its load is, and that somebody works on it. */
export async function noteLoad(pool: pg.Pool, generation: { readonly id: number }, load: LoadState): Promise<void> {
  await pool.query(
    `update search_generations set rows_read = $2, bytes = $3, dead_letters = $4, worked_at = clock_timestamp()
     where id = $1`,
    [generation.id, load.rows, load.bytes, load.deadLetters],
  );
}
