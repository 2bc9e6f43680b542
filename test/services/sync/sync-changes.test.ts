import type pg from 'pg';
import { forFile } from '../../support/for-file.ts';
import { setSyncStage } from '../../support/stages/sync.ts';

// A round applies each sort of change to the indices, in forced orders of
// transactions.

const stage = await forFile(setSyncStage(60));

test.each([
  ['an insert', `insert into events (id, name, slug) values (1, 'Summit', 'summit'), (2, 'Fair', 'fair')`],
  ['an update', `update companies set overview = 'Another' where id between 5 and 60`],
  ['a delete', `delete from companies where id = 7`],
  ['a rename that many documents show', `update companies set name = 'Renamed', slug = 'renamed' where id = 3`],
  ['a new relation', `insert into roles (person_id, position, title, company_id) values (9, 1, 'Chair', 20)`],
  ['a moved relation', `update roles set company_id = 21, person_id = 10 where person_id = 9 and position = 1`],
  ['a changed id', `update companies set id = 900001 where id = 11`],
  [
    'an investment from either side',
    `insert into company_investors (company_id, position, investor_name, investor_id) values (20, 0, 'I 4', 4);
     insert into investor_portfolio (investor_id, position, company_name, company_id) values (5, 0, 'Company 21', 21)`,
  ],
  ['a renamed investor', `update investors set name = 'Fund', slug = 'fund' where id = 4`],
  ['a company that an investor shows', `update companies set slug = 'moved' where id = 21`],
  [
    'an event with guests',
    `insert into event_people (person_id, position, event_slug, event_id) values (1, 0, 'summit', 1)`,
  ],
  ['a renamed event', `update events set slug = 'summit-2' where id = 1`],
  ['an event with another name alone', `update events set name = 'Second Summit' where id = 1`],
  ['truncated relations', 'truncate roles, company_investors'],
  ['a truncated kind', 'truncate investors cascade'],
])('%s', async (_what, sql) => {
  await stage.pool.query(sql);
  await stage.roundOfAll();
  await stage.expectEqual();
  // Nothing is left, and nothing that changes nothing is logged.
  await stage.pool.query('update companies set name = name');
  expect((await stage.round('companies')).changes).toBe(0);
});

describe('the order of transactions', () => {
  let one: pg.PoolClient;
  let two: pg.PoolClient;

  beforeEach(async () => {
    one = await stage.pool.connect();
    two = await stage.pool.connect();
  });

  afterEach(() => {
    // Closed: what a failed test left open must not reach the next.
    one.release(true);
    two.release(true);
  });

  test('a slow commit is not skipped, and delays no other', async () => {
    await one.query('begin');
    await one.query(`update companies set overview = 'slow' where id = 30`);
    await two.query(`update companies set overview = 'quick' where id = 31`);
    expect((await stage.round('companies')).changes).toBe(1);
    expect((await stage.round('companies')).changes).toBe(0);
    await one.query('commit');
    expect((await stage.round('companies')).changes).toBe(1);
    await stage.expectEqual(['companies']);
  });

  test('a long round moves its position in steps, only past acknowledged changes', async () => {
    await one.query('begin');
    await one.query(`update companies set overview = 'open all the time' where id = 40`);
    for (const id of [41, 42, 43]) await two.query(`update companies set overview = 'step' where id = $1`, [id]);
    await two.query(`update companies set slug = repeat('x', 40000) where id = 44`);
    const deadLetters = { total: 0, inARow: 1 };
    const limits = { chunkSize: 1, stepMs: 0 };
    const broken = stage.round('companies', { limits: { ...limits, deadLetters } });
    await expect(broken).rejects.toThrow('1 documents in a row');
    const waiting = async (): Promise<unknown> =>
      (await stage.pool.query(`select pending from search_lag where kind = 'companies' and state = 'live'`)).rows[0];
    // Only what broke is left: the round before it is known to the entry.
    expect(await waiting()).toEqual({ pending: 1 });
    await one.query('commit');
    await two.query(`update companies set slug = 'company-44' where id = 44`);
    expect(await stage.round('companies', { limits })).toMatchObject({ changes: 3, deadLetters: 0 });
    expect(await waiting()).toEqual({ pending: 0 });
    await stage.expectEqual(['companies']);
  });

  test('rolled back changes, even to a savepoint, are not applied', async () => {
    await one.query('begin');
    await one.query(`update companies set overview = 'never' where id = 30`);
    await one.query('rollback');
    await two.query('begin');
    await two.query('savepoint s');
    await two.query(`update companies set overview = 'never' where id = 31`);
    await two.query('rollback to savepoint s');
    await two.query(`update companies set overview = 'after all' where id = 32`);
    await two.query('commit');
    expect((await stage.round('companies')).changes).toBe(1);
    await stage.expectEqual(['companies']);
  });

  test.each(['rename first', 'relation first'])('a rename concurrent with a new relation: %s', async (order) => {
    // The name alone: a new slug would wait for the relation's lock on its company.
    const rename = `update companies set name = 'Hub, ${order}' where id = 40`;
    await one.query('begin');
    await two.query('begin');
    await two.query(`insert into roles (person_id, position, title, company_id) values (33, 5, 'New', 40)`);
    await one.query(rename);
    // Neither sees the other's row; the last commit brings the person's document.
    const [first, last] = order === 'rename first' ? [one, two] : [two, one];
    await first.query('commit');
    await stage.roundOfAll();
    await last.query('commit');
    await stage.roundOfAll();
    await stage.expectEqual();
    await stage.pool.query('delete from roles where person_id = 33');
    await stage.roundOfAll();
  });

  test('a truncation that does not see the rows that it removes', async () => {
    await stage.pool.query(`insert into roles (person_id, position, title, company_id) values (34, 6, 'Old', 41)`);
    await one.query('begin isolation level repeatable read');
    await one.query('select 1 from people limit 1');
    await two.query(`insert into roles (person_id, position, title, company_id) values (35, 6, 'Unseen', 42)`);
    await stage.roundOfAll();
    await one.query('truncate roles');
    await one.query('commit');
    await stage.roundOfAll();
    await stage.expectEqual();
  });

  test('a round that fails after a truncation removes the documents the next time', async () => {
    await two.query('truncate events cascade');
    await two.query(`insert into events (id, name, slug) values (1, 'Summit', repeat('x', 40000))`);
    const limits = { chunkSize: 1, stepMs: 0, deadLetters: { total: 0, inARow: 1 } };
    await expect(stage.round('events', { limits })).rejects.toThrow('1 documents in a row');
    await two.query(`update events set slug = 'summit'`);
    await stage.roundOfAll();
    await stage.expectEqual();
  });

  test('a position is moved by only one reader', async () => {
    await stage.pool.query(`update companies set overview = 'both' where id = 50`);
    const rounds = await Promise.allSettled([stage.round('companies'), stage.round('companies')]);
    const failed = rounds.flatMap((round) => (round.status === 'rejected' ? [round.reason.name] : []));
    expect(['', 'PositionTakenError']).toContain(failed.join());
    await stage.expectEqual(['companies']);
    expect((await stage.round('companies')).changes).toBe(0);
  });
});
