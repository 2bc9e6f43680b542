import type pg from 'pg';
import { listMigrations } from '../../../src/schema/migrate.ts';
import {
  databaseRights,
  presentRoles,
  type Right,
  rights,
  roleName,
  type ServiceRole,
} from '../../../src/schema/rights.ts';
import { clockFinding } from '../clock.ts';
import { type Check, type Finding, fail, ok, skipped, warn } from '../finding.ts';

const oldestServer = 180_000;

/** What is asked of Postgres. `connections` is what one API process takes; null where its settings are wrong. */
export function postgresChecks(pool: pg.Pool, connections: number | null): readonly Check[] {
  return [
    { name: 'postgres version', look: () => version(pool) },
    { name: 'postgres tables', look: () => tables(pool) },
    { name: 'postgres role', look: () => role(pool) },
    { name: 'postgres rights', look: () => roleRights(pool) },
    { name: 'postgres connections', look: () => connectionsLeft(pool, connections) },
    { name: 'postgres clock', look: () => clock(pool) },
  ];
}

async function first<Row extends pg.QueryResultRow>(pool: pg.Pool, sql: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await pool.query<Row>(sql, values);
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres answered no row.');
  return row;
}

async function version(pool: pg.Pool): Promise<readonly Finding[]> {
  const check = 'postgres version';
  const { number, name, fsync } = await first<{ number: number; name: string; fsync: string }>(
    pool,
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name,
            current_setting('fsync') as fsync`,
  );
  const findings =
    number < oldestServer
      ? [fail(check, `Postgres ${name} is too old.`, 'Move the database to Postgres 18 or later.')]
      : [ok(check, `Postgres ${name}.`)];
  if (fsync === 'on') return findings;
  return [
    ...findings,
    warn(check, 'fsync is off: a crash may lose the database.', 'Set fsync = on in postgresql.conf.'),
  ];
}

async function tables(pool: pg.Pool): Promise<readonly Finding[]> {
  const check = 'postgres tables';
  const { name } = await first<{ name: string | null }>(pool, `select to_regclass('public.schema_migrations') as name`);
  if (name === null) return [fail(check, 'There are no tables.', 'Run: entity-search migrate')];
  const { rows } = await pool.query<{ name: string }>('select name from schema_migrations');
  const applied = new Set(rows.map((row) => row.name));
  const known = listMigrations().map((migration) => migration.name);
  const missing = known.filter((migration) => !applied.has(migration));
  const unknown = [...applied].filter((migration) => !known.includes(migration));
  if (unknown.length > 0) {
    const todo = 'Use the version that made them, or a later one.';
    return [fail(check, `A newer version migrated the tables (${unknown.join(', ')}).`, todo)];
  }
  if (missing.length === 0) return [ok(check, `The tables are those of this version (${known.at(-1)}).`)];
  return [fail(check, `The tables lack ${missing.join(', ')}.`, 'Run: entity-search migrate')];
}

async function role(pool: pg.Pool): Promise<readonly Finding[]> {
  const check = 'postgres role';
  const me = await first<{ name: string; superuser: boolean; owner: boolean }>(
    pool,
    `select current_user::text as name, rolsuper as superuser,
            coalesce((select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('public.companies')), false) as owner
     from pg_roles where rolname = current_user`,
  );
  if (me.superuser) {
    const todo = 'Give each process the role that it is for: docs/operations.md, Roles.';
    return [warn(check, `${me.name} is a superuser: a process that has its password may do everything.`, todo)];
  }
  if (me.owner) return [ok(check, `${me.name} owns the tables: right for migrate, too much for other processes.`)];
  return [ok(check, `${me.name} is no superuser and owns no table.`)];
}

interface Held {
  readonly relation: string;
  readonly privilege: string;
  readonly columns: readonly string[] | null;
}

async function roleRights(pool: pg.Pool): Promise<readonly Finding[]> {
  const check = 'postgres rights';
  const { there } = await first<{ there: boolean }>(
    pool,
    `select to_regclass('public.companies') is not null as there`,
  );
  if (!there) return [skipped(check, 'There are no tables yet.')];
  const present = await presentRoles(pool);
  if (present.length === 0) {
    const todo = 'Make the roles and migrate: docs/operations.md, Roles.';
    return [warn(check, "The service's roles were not made: every process may do whatever its role can.", todo)];
  }
  return Promise.all(present.map((one) => compareRights(pool, one)));
}

async function compareRights(pool: pg.Pool, one: ServiceRole): Promise<Finding> {
  const check = 'postgres rights';
  const name = roleName(one);
  const missing = await missingRights(pool, one);
  if (missing.length > 0) return fail(check, `${name} may not ${missing.join(', ')}.`, 'Run: entity-search migrate');
  const surplus = await surplusRights(pool, one);
  if (surplus.length === 0) return ok(check, `${name} may do what it is for, and nothing else.`);
  const todo =
    'Run entity-search migrate, which takes back what was granted by hand; leave other roles with: revoke … from.';
  return warn(check, `${name} may also ${surplus.join(', ')}.`, todo);
}

async function missingRights(pool: pg.Pool, one: ServiceRole): Promise<readonly string[]> {
  const wanted = Object.entries(rights[one]).flatMap(([relation, list]) =>
    list.map((right) => asHeld(relation, right)),
  );
  const { rows } = await pool.query<{ text: string }>(
    `select w.privilege || ' ' || w.relation as text
     from jsonb_to_recordset($2::jsonb) as w (relation text, privilege text, columns jsonb)
     where not case
       when to_regclass('public.' || w.relation) is null then false
       when w.columns <> 'null' then (
         select bool_and(has_column_privilege($1, 'public.' || w.relation, c, w.privilege))
         from jsonb_array_elements_text(w.columns) as c)
       when (select relkind from pg_class where oid = to_regclass('public.' || w.relation)) = 'S'
         then has_sequence_privilege($1, 'public.' || w.relation, w.privilege)
       else has_table_privilege($1, 'public.' || w.relation, w.privilege) end
     union all
     select p || ' to the database' from unnest($3::text[]) as p where not has_database_privilege($1, current_database(), p)`,
    [roleName(one), JSON.stringify(wanted), databaseRights[one]],
  );
  return rows.map((row) => row.text);
}

function asHeld(relation: string, { privilege, columns }: Right): Held {
  return { relation, privilege, columns: columns ?? null };
}

/** Rights on whole tables, by grant, membership or as a superuser, that the list does not have. */
async function surplusRights(pool: pg.Pool, one: ServiceRole): Promise<readonly string[]> {
  const allowed = Object.entries(rights[one]).flatMap(([relation, list]) =>
    list.filter(({ columns }) => columns === undefined).map(({ privilege }) => `${privilege} ${relation}`),
  );
  const { rows } = await pool.query<{ text: string }>(
    `select p || ' ' || c.relname as text
     from pg_class c, unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'trigger']) as p
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p')
       and has_table_privilege($1, c.oid, p) and p || ' ' || c.relname <> all ($2::text[])
     union all
     select 'create in the schema public' where has_schema_privilege($1, 'public', 'create')
     limit 20`,
    [roleName(one), allowed],
  );
  return rows.map((row) => row.text);
}

async function connectionsLeft(pool: pg.Pool, perProcess: number | null): Promise<readonly Finding[]> {
  const check = 'postgres connections';
  const { most, used } = await first<{ most: number; used: number }>(
    pool,
    `select current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int - current_setting('reserved_connections')::int as most,
            (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`,
  );
  const text = `${used} of ${most} connections are in use`;
  const todo = 'Raise max_connections, or lower POSTGRES_POOL_SIZE and POSTGRES_ACCESS_POOL_SIZE.';
  if (perProcess !== null && perProcess > most) {
    return [fail(check, `${text}; one API process may take ${perProcess}.`, todo)];
  }
  if (used > 0.8 * most) return [warn(check, `${text}.`, todo)];
  const room = perProcess === null ? '' : `; one API process takes ${perProcess} at most`;
  return [ok(check, `${text}${room}.`)];
}

async function clock(pool: pg.Pool): Promise<readonly Finding[]> {
  // A connection first: making one must not count as time on the way.
  await pool.query('select 1');
  const beforeMs = Date.now();
  const { now } = await first<{ now: number }>(
    pool,
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  );
  return [clockFinding('postgres clock', 'Postgres', { beforeMs, theirsMs: now, afterMs: Date.now() })];
}
