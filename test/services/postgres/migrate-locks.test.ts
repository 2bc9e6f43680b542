import pg from 'pg';
import { defaultLockWaits, TablesLockedError } from '../../../src/schema/lock-retries.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { laterVersion } from '../../support/engines/migrations.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { until } from '../../support/until.ts';

// A migration that wants a table on which another session has a transaction open.

const database = await forFile(createTestDatabase());
const pool = await closedAfterFile(new pg.Pool({ connectionString: database.url, max: 2 }), (opened) => opened.end());

/** A session that has read the table in a transaction, which it leaves open. */
async function holdTable(table: string): Promise<{ readonly pid: number; readonly release: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: database.url, application_name: 'long report' });
  await client.connect();
  await client.query('begin');
  await client.query(`select from ${table} limit 1`);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { pid: rows[0]?.pid ?? 0, release: () => client.end() };
}

async function isAltered(table: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_attribute where attrelid = $1::regclass and attname = 'later' and not attisdropped`,
    [table],
  );
  return rowCount === 1;
}

const isWaiting = async (): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity
     where datname = current_database() and application_name = 'entity-search migrate' and wait_event_type = 'Lock'`,
  );
  return rowCount === 1;
};

const tables = ['accounts', 'companies', 'schema_migrations', 'search_changes', 'search_generations', 'x402_payments'];

test('readers of a table are answered while a migration waits for its lock, and the migration is applied afterwards', async () => {
  for (const table of tables) {
    using later = laterVersion(`alter table ${table} add column later text`);
    const held = await holdTable(table);
    let isOver = false;
    const waits = { ...defaultLockWaits, lockTimeoutMs: 60 };
    const migrating = migrate(database.url, () => undefined, { known: later.migrations, waits }).finally(() => {
      isOver = true;
    });
    await until(isWaiting, `waiting for ${table}`);
    await pool.query(`select from ${table} limit 1`);
    expect([table, isOver]).toEqual([table, false]);
    await held.release();
    expect(await migrating).toEqual(['001-later']);
    expect([table, await isAltered(table)]).toEqual([table, true]);
    await pool.query(`alter table ${table} drop column later; delete from schema_migrations where name = '001-later'`);
  }
});

test.each(['accounts', 'companies', 'search_changes'])(
  '%s stays locked: the migration fails, names the session and changes nothing',
  async (table) => {
    using later = laterVersion(`
      create table later_table (id int);
      alter table ${table} add column later text`);
    const held = await holdTable(table);
    const migrating = migrate(database.url, () => undefined, {
      known: later.migrations,
      waits: { lockTimeoutMs: 60, giveUpAfterMs: 300 },
    });
    const error: unknown = await migrating.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(TablesLockedError);
    expect(String(error)).toContain(`locked by PID ${held.pid} (long report, user `);
    const { rows } = await pool.query(
      `select to_regclass('later_table') as created, exists (select from schema_migrations where name = '001-later') as recorded`,
    );
    expect([rows, await isAltered(table)]).toEqual([[{ created: null, recorded: false }], false]);
    await held.release();
  },
);

test('a migration does not wait forever for another that never ends', async () => {
  const client = new pg.Client({ connectionString: database.url, application_name: 'entity-search migrate' });
  await client.connect();
  await client.query(`begin; select pg_advisory_xact_lock(hashtext('entity-search migrate'))`);
  const waits = { lockTimeoutMs: 60, giveUpAfterMs: 300 };
  await expect(migrate(database.url, () => undefined, { waits })).rejects.toThrow(TablesLockedError);
  await client.end();
  expect(await migrate(database.url, () => undefined, { waits })).toEqual([]);
});
