import type pg from 'pg';
import { readDrift } from '../../../indexer/generations/schema-drift.ts';
import type { Drift } from '../../../src/schema/shape.ts';
import { type Check, type Finding, fail, ok, skipped, warn } from '../finding.ts';

const name = 'postgres columns and triggers';

/** Are the tables of entities as the migrations made them, and is every change of them logged? */
export function shapeCheck(pool: pg.Pool): Check {
  return {
    name,
    async look() {
      const drift = await readDrift(pool);
      if (drift === undefined) return [skipped(name, 'The tables are not those of this version.')];
      if (drift.length === 0)
        return [ok(name, 'The tables of entities are as they were made, and every change is logged.')];
      return drift.map(toldOf);
    },
  };
}

function toldOf({ found, sql }: Drift): Finding {
  if (sql === null) return fail(name, found, 'Run: entity-search migrate && entity-search repair');
  const tell = /added by hand/.test(found) ? warn : fail;
  return tell(name, found, `Run: psql "$DATABASE_URL" -c '${sql}'`);
}
