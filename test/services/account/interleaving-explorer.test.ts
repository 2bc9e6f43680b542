import pg from 'pg';
import { createTestDatabase } from '../../support/engines/database.ts';
import { exploreInterleavings, type InterleavedScenario } from '../../support/engines/interleaving.ts';
import { forFile } from '../../support/for-file.ts';

// The explorer itself: a defect of a known schedule is found, and none where there is none.

const database = await forFile(createTestDatabase());
await withPool((pool) => pool.query('create table counters (id serial primary key, value integer not null)'));

async function withPool<Result>(work: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Adds one by reading and writing. */
function addition(lock: string) {
  return async (pool: pg.Pool, id: number): Promise<void> => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<{ value: number }>(`select value from counters where id = $1 ${lock}`, [id]);
      await client.query('update counters set value = $2 where id = $1', [id, (rows[0]?.value ?? 0) + 1]);
      await client.query('commit');
    } finally {
      client.release();
    }
  };
}

function twoAdditions(lock: string): InterleavedScenario<number> {
  return {
    async setUp(pool) {
      const { rows } = await pool.query<{ id: number }>('insert into counters (value) values (0) returning id');
      return rows[0]?.id ?? 0;
    },
    actions: [addition(lock), addition(lock)],
    async check(pool, id) {
      const { rows } = await pool.query<{ value: number }>('select value from counters where id = $1', [id]);
      return rows[0]?.value === 2 ? null : `the counter is ${rows[0]?.value} after two additions`;
    },
  };
}

test('a lost update is found, with the order of statements that shows it', async () => {
  const { failure } = await exploreInterleavings(database.url, twoAdditions(''));
  expect(failure?.problem).toBe('the counter is 1 after two additions');
});

test('with a lock on the row every order of the statements is explored, and none loses an update', async () => {
  const { failure, schedules, statements } = await exploreInterleavings(database.url, twoAdditions('for update'));
  expect({ failure, statements }).toEqual({ failure: null, statements: 8 });
  expect(schedules).toBeGreaterThan(10);
});
