import type pg from 'pg';
import { readValue } from '../../../src/postgres/statements.ts';
import { compareMigrations } from '../../../src/schema/migrations.ts';
import {
  isTooOld,
  readServerVersion,
  type ServerVersion,
  supportedServers,
  testedServers,
} from '../../../src/schema/server-version.ts';
import { hasTable } from '../../../src/schema/tables.ts';
import { type LostTriggers, listLostTriggers } from '../../../src/schema/triggers.ts';
import type { Check } from '../check.ts';
import { fail, ok, type Verdict, warn } from '../finding.ts';
import { checkRights } from './rights.ts';

export function postgresChecks(pool: pg.Pool): readonly Check[] {
  return [
    { name: 'postgres version', isProbe: true, run: async () => judgeServerVersion(await readServerVersion(pool)) },
    { name: 'postgres tables', run: () => checkTables(pool) },
    { name: 'postgres role', run: () => checkRole(pool) },
    { name: 'postgres rights', run: () => checkRights(pool) },
  ];
}

/** Older servers lack features that the tables need; newer ones are untested. */
export function judgeServerVersion(version: ServerVersion): Verdict {
  const text = `Postgres ${version.name}`;
  const todo = `Use Postgres ${supportedServers}.`;
  if (isTooOld(version)) return fail(`${text} is too old.`, todo);
  if (version.major > (testedServers.at(-1) ?? 0)) return warn(`${text} is newer than what was tested.`, todo);
  return ok(`${text}.`);
}

async function checkTables(pool: pg.Pool): Promise<Verdict | readonly Verdict[]> {
  if (!(await hasTable(pool, 'schema_migrations'))) return fail('There are no tables.', 'Run: entity-search migrate');
  const { rows } = await pool.query<{ name: string }>('select name from schema_migrations');
  const { predatesBaseline, unknown, missing } = compareMigrations(rows.map((row) => row.name));
  if (predatesBaseline) {
    const todo = 'Create an empty database, run entity-search migrate there, and import the entities again.';
    return fail("The tables are from before version 1.0.0 and can't be upgraded.", todo);
  }
  if (unknown.length > 0) {
    const todo = 'Use the version that made them, or a later one.';
    return fail(`A newer version migrated the tables (${unknown.join(', ')}).`, todo);
  }
  if (missing.length > 0) {
    const names = missing.map((migration) => migration.name).join(', ');
    return fail(`The tables lack ${names}.`, 'Run: entity-search migrate');
  }
  const lost = await listLostTriggers(pool);
  return lost.length > 0 ? lost.map(judgeLost) : ok('The schema matches this version, and every change is logged.');
}

function judgeLost({ table, lost }: LostTriggers): Verdict {
  const names = lost.map(([name]) => name).join(', ');
  const triggers = lost.length === 1 ? `The trigger ${names} of ${table} is` : `The triggers ${names} of ${table} are`;
  const found = `${triggers} missing, disabled or changed: what is written there is not logged.`;
  return fail(found, 'Run: entity-search migrate && entity-search repair');
}

async function checkRole(pool: pg.Pool): Promise<Verdict> {
  const name = await readValue<string>(pool, 'select current_user::text');
  const isSuperuser = await readValue<boolean>(pool, 'select rolsuper from pg_roles where rolname = current_user');
  if (!isSuperuser) return ok(`${name} is not a superuser.`);
  const todo = 'Give each process its own role: docs/install.md, Database roles.';
  return warn(`${name} is a superuser: any process with its password can do everything.`, todo);
}
