import pg from 'pg';
import { clientConfig } from '../../../src/postgres/pool.ts';
import { createTestDatabase } from './database.ts';

/** A migrated database whose `now()` is set by the test, and a pool of connections that use it. */
export interface ClockedDatabase extends AsyncDisposable {
  readonly pool: pg.Pool;
  /** @param ms since 1970 */
  setTime(ms: number): Promise<void>;
  /** Empties the table of payments, whose ids begin again at 1, and sets the time. */
  empty(ms: number): Promise<void>;
}

const settings = {
  applicationName: 'test',
  maxConnections: 2,
  connectTimeoutMs: 60_000,
  statementTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
};

/** Statements find these functions before Postgres' own. Two calls never return the same time. */
const clock = `
  create schema clock;
  create table clock.time (at timestamptz not null);
  insert into clock.time values ('epoch');
  create sequence clock.moments;
  create function clock.now() returns timestamptz stable language sql as 'select at from clock.time';
  create function clock.clock_timestamp() returns timestamptz volatile language sql
    as $$ select at + nextval('clock.moments') * interval '1 microsecond' from clock.time $$;
  alter table x402_payments alter created_at set default clock.now(), alter updated_at set default clock.now();`;

export async function createClockedDatabase(): Promise<ClockedDatabase> {
  const database = await createTestDatabase();
  const pool = new pg.Pool({
    ...clientConfig({ ...settings, url: database.url }),
    max: settings.maxConnections,
    options: '-c search_path=clock,public,pg_catalog -c synchronous_commit=off',
  });
  await pool.query(clock);
  return {
    pool,
    setTime: async (ms) => void (await pool.query(`update clock.time set at = ${literal(ms)}`)),
    empty: async (ms) =>
      void (await pool.query(
        `delete from x402_payments; alter sequence x402_payments_id_seq restart; update clock.time set at = ${literal(ms)}`,
      )),
    async [Symbol.asyncDispose]() {
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

function literal(ms: number): string {
  return `'${new Date(ms).toISOString()}'`;
}
