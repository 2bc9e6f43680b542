import type pg from 'pg';
import { CommandError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { identitySql } from './positions.ts';

// When the database has gone back to an earlier state (a restore, a promoted laggard), the indices know of changes
// that never happened, and the log will not tell. Then reading stops for every generation until somebody has
// compared it with the tables, and versions are drawn above all that were ever drawn.

/** Nothing may be applied to a generation until it was compared with the tables. */
export class HaltedError extends CommandError {
  constructor(indexName: string, reason: string) {
    super(`${indexName} is not followed: ${reason}`, exitCodes.refused);
    this.name = 'HaltedError';
  }
}

const advice =
  'Its index may hold what these tables never had. Run entity-search verify and entity-search repair, or entity-search reindex.';

/**
 * Compares every generation's database with this one. Where it is another, or its position lies in the future, the
 * generation is halted: versions go up to a new epoch, and its position becomes the present, so that a repair that
 * begins after this has to bring in all that was before. Answers the indices that were halted now.
 */
export async function haltStrangers(pool: pg.Pool): Promise<readonly string[]> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('begin');
    // One at a time: the second finds nothing to do.
    await client.query(`select pg_advisory_xact_lock(hashtext('entity-search epoch'))`);
    const { rows } = await client.query<{ index_name: string }>(
      `update search_generations g
       set halted = case when g.source_identity is distinct from present.identity
                         then format('the database is another than before (%s, was %s). %s',
                                     present.identity, g.source_identity, $1::text)
                         else format('the database has gone back to an earlier state. %s', $1::text) end,
           position = pg_current_snapshot(), settled_position = null, between_position = null, between_at = null,
           source_identity = present.identity
       from (select ${identitySql} as identity) as present
       where g.ended_at is null and g.position is not null
         and ((g.source_identity is not null and g.source_identity <> present.identity)
              or pg_snapshot_xmax(g.position) > pg_snapshot_xmax(pg_current_snapshot()))
       returning g.index_name`,
      [advice],
    );
    if (rows.length > 0) await client.query('select search_raise_epoch()');
    await client.query('commit');
    broken = false;
    return rows.map((row) => row.index_name);
  } finally {
    client.release(broken);
  }
}

/**
 * Elasticsearch holds a version (`newest`) above all that this database ever drew: it has gone back without another sign (a copy
 * of its files was put in place). Halts every generation of this database.
 */
export async function haltAll(pool: pg.Pool, indexName: string, newest: number): Promise<void> {
  await pool.query(
    `with epoch as (select setval('search_versions', greatest(search_raise_epoch(), $3::bigint + 1)))
     update search_generations
     set halted = format('%s holds versions that this database has not drawn: it has gone back to an earlier state. %s',
                         $1::text, $2::text),
         position = pg_current_snapshot(), settled_position = null, between_position = null, between_at = null
     from epoch
     where ended_at is null and position is not null and halted is null`,
    [indexName, advice, newest],
  );
}

/**
 * Lets a halted generation be followed again, from the position that it was halted at. Only after it was found equal
 * to the tables, or made so, by something that began after the halt.
 */
export async function endHalt(pool: pg.Pool, indexName: string): Promise<void> {
  await pool.query('update search_generations set halted = null where index_name = $1', [indexName]);
}
