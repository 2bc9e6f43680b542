import type pg from 'pg';
import { identitySql } from '../../src/postgres/identity.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
import { RefusedError } from '../errors.ts';
import { firstForeignVersion } from '../read/versions.ts';

// If the database or an index has gone back to an earlier state (a restore, a promoted standby that lagged), the change
// log does not show the differences. The generation is then halted until it has been compared with the tables, which
// sync does automatically (sync/auto-repair.ts).

/** A generation that must be compared with the tables before any change is applied. */
export class HaltedError extends RefusedError {
  /** The position of the halt; it identifies the halt. */
  readonly position: string;

  constructor(generation: { readonly indexName: string; readonly position: string }, reason: string) {
    super(`${generation.indexName} is not followed: ${reason}`);
    this.position = generation.position;
  }
}

const advice =
  'Its index may hold data that these tables never had. entity-search sync compares and repairs it by itself; entity-search repair does so at once.';

/**
 * Halts generations: their position becomes the present, so a comparison that begins after this finds all earlier
 * differences. Versions are raised to a new epoch, above those that the database may have forgotten. Generations that
 * are already halted are halted again: earlier comparisons do not count.
 */
export async function haltGenerations(
  database: pg.ClientBase | pg.Pool,
  halt: { readonly ids: readonly number[]; readonly reason: string },
): Promise<void> {
  await database.query(
    `with epoch as (select search_raise_epoch())
     update search_generations
     set halted = $2, position = pg_current_snapshot(), source_identity = ${identitySql}, settled_position = null,
         between_position = null, between_at = null, progress_to = null, progress_xid = null, progress_seq = null,
         halt_ended_at = null
     from epoch where id = any($1::bigint[]) and ended_at is null and position is not null`,
    [halt.ids, `${halt.reason} ${advice}`],
  );
}

/** Begins an epoch of removals in the transaction of a halt: a halted generation is not checked again. */
const beginEpoch = `select search_begin_epoch(${identitySql})`;

/** Halts a generation whose marker in Elasticsearch is ahead of this database. Returns the reason, for people. */
export async function haltBehindMarker(pool: pg.Pool, generationId: number): Promise<string> {
  const reason = 'the database has gone back to an earlier state: it does not know of the last writes.';
  await inTransaction(pool, async (client) => {
    await client.query(beginEpoch);
    await haltGenerations(client, { ids: [generationId], reason });
  });
  return reason;
}

/** Stores the identity of an index's copies and of its documents' origin. */
export async function recordIndexIdentity(
  pool: pg.Pool,
  generationId: number,
  target: { readonly identity: string; readonly history: string },
): Promise<void> {
  await pool.query('update search_generations set target_identity = $2, target_history = $3 where id = $1', [
    generationId,
    target.identity,
    target.history,
  ]);
}

/** Halts generations of another database, or with a position in the future. Returns the indices halted now. */
export function haltForeignGenerations(pool: pg.Pool): Promise<readonly string[]> {
  return inTransaction(pool, async (client) => {
    // Serialized: a second process finds no more generations to halt.
    await client.query(`select pg_advisory_xact_lock(hashtext('entity-search epoch'))`);
    const { rows } = await client.query<{ id: number; indexName: string; reason: string }>(
      `select id, index_name as "indexName",
              case when source_identity <> present.identity
                   then format('the database is another than before (%s, was %s).', present.identity, source_identity)
                   else 'the database has gone back to an earlier state.' end as reason
       from search_generations, (select ${identitySql} as identity) as present
       where ended_at is null and position is not null
         and (source_identity <> present.identity
              or pg_snapshot_xmax(position) > pg_snapshot_xmax(pg_current_snapshot()))`,
    );
    for (const { id, reason } of rows) await haltGenerations(client, { ids: [id], reason });
    return rows.map(({ indexName }) => indexName);
  });
}

/**
 * Halts every generation of this database, because Elasticsearch holds a version (`newest`) above all that were ever
 * drawn here: the database has gone back without another sign, after a copy of its files was restored.
 */
export async function haltAllGenerations(pool: pg.Pool, indexName: string, newest: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(beginEpoch);
    const { rows } = await client.query<{ id: number }>(
      `select id, search_raise_versions($1::bigint) from search_generations
       where ended_at is null and position is not null and halted is null`,
      [newest],
    );
    const reason = `${indexName} holds versions that this database has not drawn: it has gone back to an earlier state.`;
    await haltGenerations(client, { ids: rows.map(({ id }) => id), reason });
  });
}

/** A halt in force: everything up to this position must be compared. */
export interface Halt {
  readonly position: string;
}

/** Returns undefined for a generation that is followed. */
export async function readHalt(pool: pg.Pool, generationId: number): Promise<Halt | undefined> {
  const { rows } = await pool.query<Halt>(
    `select position::text as position from search_generations where id = $1 and halted is not null`,
    [generationId],
  );
  return rows[0];
}

/**
 * Ends a halt: the generation is followed again from the position that it was halted at. Requires that the index was
 * found equal to the tables, or repaired, after the halt began. Returns false if it was halted again meanwhile.
 * `highest` is the highest version found in the index; later writes get higher ones.
 */
export async function endHalt(
  pool: pg.Pool,
  generation: { readonly id: number },
  halt: Halt,
  highest: number,
): Promise<boolean> {
  await raiseVersions(pool, highest);
  const { rowCount } = await pool.query(
    `update search_generations set halted = null, halt_ended_at = clock_timestamp(), last_error = null
     where id = $1 and halted is not null and position::text = $2`,
    [generation.id, halt.position],
  );
  return rowCount === 1;
}

/**
 * Raises versions above those in the index that this database never drew; otherwise our writes are refused as older.
 * Documents with versions too high to exceed become dead letters.
 */
export async function raiseVersions(pool: pg.Pool, highest: number): Promise<void> {
  if (highest >= firstForeignVersion) return;
  await pool.query('select search_raise_versions($1::bigint)', [highest]);
}
