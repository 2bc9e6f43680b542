import type pg from 'pg';
import { listMigrations } from '../../src/schema/migrate.ts';
import { type Drift, driftOf, expectedShape, readShape } from '../../src/schema/shape.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';

/**
 * What somebody changed by hand in the tables of entities. Undefined where the tables are of another version, which is
 * told elsewhere.
 */
export async function readDrift(pool: pg.Pool): Promise<readonly Drift[] | undefined> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as there`,
  );
  if (rows[0]?.there !== true) return undefined;
  const applied = await pool.query<{ name: string }>('select name from schema_migrations order by name');
  const known = listMigrations().map((migration) => migration.name);
  if (applied.rows.map((row) => row.name).join() !== known.join()) return undefined;
  return driftOf(expectedShape(), await readShape(pool), await listShownTables(pool));
}
