import type pg from 'pg';
import { compareMigrations } from '../../src/schema/migrations.ts';
import { type Drift, driftOf, expectedShape, readShape } from '../../src/schema/shape.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';

/**
 * Lists changes made by hand to the tables of entities. Returns undefined if the tables are of another version, which
 * is reported elsewhere.
 */
export async function readDrift(pool: pg.Pool): Promise<readonly Drift[] | undefined> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as there`,
  );
  if (rows[0]?.there !== true) return undefined;
  const { rows: applied } = await pool.query<{ name: string }>('select name from schema_migrations');
  const { unknown, missing } = compareMigrations(applied.map(({ name }) => name));
  if (unknown.length + missing.length > 0) return undefined;
  return driftOf(expectedShape(), await readShape(pool), await listShownTables(pool));
}
