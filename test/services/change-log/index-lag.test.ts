import pg from 'pg';
import { liveIndexLag, pollLag } from '../../../src/postgres/index-lag.ts';
import { realClock } from '../../support/api/in-process.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { until } from '../../support/until.ts';

// Measuring the lag of the indices costs Postgres little, in any state of the change log.

const database = await forFile(createTestDatabase());
const pool = await closedAfterFile(
  new pg.Pool({ connectionString: database.url, max: 4, types: { getTypeParser } }),
  (opened) => opened.end(),
);
await pool.query(
  `insert into search_generations (kind, number, index_name, hash, definition, document_sql, state, position)
   values ('companies', 1, 'companies-1', 'h', '{}', 'select', 'live', pg_current_snapshot())`,
);

/** As the processes' own pools have it: a bigint is a number. */
function getTypeParser(oid: number): (text: string) => unknown {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, 'text');
}

test('Postgres ends a slow lag query, none pile up, and the lag is reported again afterwards', async () => {
  const failures: unknown[] = [];
  const poll = pollLag(pool, { everyMs: 20, timeoutMs: 300 }, realClock, (cause) => void failures.push(cause));
  const lag = liveIndexLag(poll.latest);
  poll.start();
  try {
    await until(() => lag.seconds(['companies']) === 0, 'the first look');
    const blocker = await pool.connect();
    await blocker.query('begin; lock table search_changes in access exclusive mode');
    await until(() => lag.seconds(['companies']) === null && failures.length > 0, 'not knowing');
    const reported = failures.length;
    const { rows } = await blocker.query<{ looks: number }>(
      `select count(*)::int as looks from pg_stat_activity
       where datname = current_database() and state = 'active' and query like '%from search_lag%'
         and pid <> pg_backend_pid()`,
    );
    expect(rows[0]?.looks).toBeLessThanOrEqual(1);
    await blocker.query('rollback');
    blocker.release();
    await until(() => lag.seconds(['companies']) === 0, 'knowing again');
    // One failure is reported for the whole absence. A busy machine may have reported others before it.
    expect(failures).toHaveLength(reported);
    expect(failures).toContainEqual(expect.objectContaining({ code: '57014' }));
    // The timeout applies to this query alone: the pool's connections keep theirs.
    expect((await pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
  } finally {
    await poll.close();
  }
});

test('pending changes are reported with their age, their number and the dead letters', async () => {
  await pool.query(`insert into companies (id, name, slug) values (1, 'Quartz Ledger', 'quartz-ledger')`);
  await pool.query(
    `insert into search_dead_letters (generation_id, id, reason)
     select id, 7, 'too long' from search_generations where index_name = 'companies-1'`,
  );
  const poll = pollLag(pool, { everyMs: 20, timeoutMs: 1_000 }, realClock, () => undefined);
  poll.start();
  try {
    await until(() => (poll.latest()?.[0]?.seconds ?? 0) > 0, 'an age');
    expect(poll.latest()).toEqual([
      expect.objectContaining({ kind: 'companies', generation: 'companies-1', state: 'live', halted: false, rows: 1 }),
    ]);
    expect(poll.latest()?.[0]?.deadLetters).toBe(1);
    expect(liveIndexLag(poll.latest).seconds(['companies'])).toBeGreaterThan(0);
  } finally {
    await poll.close();
  }
});
