import { entitySearch } from '../../../dev/lib/command-line.ts';
import { syncConfig } from '../../../indexer/config.ts';
import { texts, writableDate } from '../../../src/kinds/sql.ts';
import { forFile } from '../../support/for-file.ts';
import { startSync } from '../../support/stages/running-sync.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { until } from '../../support/until.ts';

// Rows that can't be made into documents, or whose documents Elasticsearch refuses: each becomes a dead letter that
// names the row and the column; everything else continues.

const stage = await forFile(setSyncStage(300, { kinds: ['companies', 'events'] }));
await stage.pool.query(
  `insert into events (id, name, slug) select n, 'E ' || n, 'e-' || n from generate_series(1, 20) n`,
);
await stage.roundOfAll();
// Such rows were written before the constraints existed, or while they were dropped.
await stage.pool.query(`
  do $$ declare c record; begin
    for c in select conrelid::regclass as name, conname from pg_constraint
             where contype = 'c' and conrelid in ('companies'::regclass, 'events'::regclass)
               and (not convalidated or conname in ('companies_links_check', 'companies_sources_check'))
    loop execute format('alter table %s drop constraint %I', c.name, c.conname); end loop;
  end $$`);

async function letters(): Promise<
  readonly { readonly id: number; readonly reason: string; document: string | null }[]
> {
  const { rows } = await stage.pool.query(
    `select l.id, l.reason, l.document from search_dead_letters l join search_generations g on g.id = l.generation_id
     where g.state = 'live' order by g.kind, l.id`,
  );
  return rows;
}

async function nameOf(kind: string, id: number): Promise<unknown> {
  const index = `${stage.indices.prefix}${kind}`;
  const found = await stage.indices.client.get<{ name: string }>({ index, id: String(id) }, { ignore: [404] });
  return found._source?.name;
}

/** The SQL of an earlier version, which raises for values that today's shows as null. */
async function setOldSql(): Promise<void> {
  for (const expression of ['c.founded_date', 'e.start_date', 'c.tags', 'c.ecosystems']) {
    const total = expression.endsWith('date') ? writableDate(expression) : texts(expression);
    const { rowCount } = await stage.pool.query(
      `update search_generations set document_sql = replace(document_sql, $1, $2)
       where state = 'live' and position($1 in document_sql) > 0`,
      [total, expression],
    );
    expect([expression, rowCount]).toEqual([expression, 1]);
  }
}

test('while sync runs into a generation whose SQL raises errors, other rows arrive, and dead letters name row and column', async () => {
  await setOldSql();
  await using _sync = startSync(stage.syncDeps());
  await stage.pool.query(`
    update companies set founded_date = 'infinity' where id = 5;
    update companies set tags = '{{a,b},{c,d}}', ecosystems = '{e}' where id = 6;
    update companies set slug = repeat('x', 40000) where id = 7;
    update companies set name = 'Renamed beside them' where id = 8;
    update events set start_date = '-infinity' where id = 5;
    update events set name = 'Renamed beside it' where id = 6`);
  await until(async () => (await nameOf('companies', 8)) === 'Renamed beside them', 'a rename of a company');
  await until(async () => (await nameOf('events', 6)) === 'Renamed beside it', 'a rename of an event');
  await until(async () => (await letters()).length === 4, 'four letters');
  expect(await letters()).toEqual([
    { id: 5, reason: 'companies 5: column founded_date: cannot convert infinity to integer (0A000)', document: null },
    {
      id: 6,
      reason: 'companies 6: columns ecosystems, tags: cannot concatenate incompatible arrays (2202E)',
      document: null,
    },
    { id: 7, reason: expect.stringMatching(/immense term.*slug/), document: expect.stringContaining('"id":7') },
    { id: 5, reason: 'events 5: column start_date: cannot convert infinity to integer (0A000)', document: null },
  ]);
  // The position moves after the letters are kept.
  await until(async () => (await stage.pending()) === 0, 'applying all changes');
});

test('verify distinguishes rows that raise errors from stale documents, and repair skips them', async () => {
  await stage.pool.query(`alter table companies disable trigger user; update companies set overview = 'unseen' where id = 9;
    alter table companies enable trigger user; alter table companies enable always trigger log_update`);
  for (const flags of [[], ['--deep']]) {
    const verified = await entitySearch(['verify', 'companies', ...flags], stage.env);
    expect(verified.code).toBe(2);
    expect(JSON.parse(verified.out)).toMatchObject({ equal: false, stale: 2, unreadable: 2, complete: true });
  }
  const repaired = await entitySearch(['repair', 'companies'], stage.env);
  expect(repaired.code).toBe(2);
  expect(JSON.parse(repaired.out)).toMatchObject({ written: 1, dead_letters: 3 });
  expect((await letters()).length).toBe(4);
});

test('a dead letter is removed when its row is corrected', async () => {
  await stage.pool.query(`update companies set founded_date = '2001-01-01' where id = 5`);
  await stage.pool.query(`update events set start_date = null where id = 5`);
  await stage.roundOfAll();
  expect((await letters()).map(({ id }) => id)).toEqual([6, 7]);
});

describe('rows that raise errors in the current SQL', () => {
  beforeAll(async () => {
    await stage.pool.query(`
      update companies set slug = 'company-7' where id = 7;
      update companies set links = '[1]' where id in (150, 290);
      update companies set sources = '{}' where id = 200`);
  });

  test('are skipped by a reindex, which is refused with their names, or goes live if they are allowed', async () => {
    const [refused] = await stage.run();
    expect(refused?.reindex).toMatchObject({ state: 'failed', refused: true, counts: { deadLetters: 3 } });
    expect(refused?.reindex.error).toContain(
      'companies 150: column links: jsonpath wildcard member accessor can only be applied to an object (2203C)',
    );
    expect(refused?.reindex.error).toContain(
      'companies 200: column sources: cannot get array length of a non-array (22023)',
    );
    const [allowed] = await stage.run({ allowedDeadLetters: 3, env: { GENERATIONS_KEPT: '0' } });
    expect(allowed?.reindex).toMatchObject({ state: 'live', counts: { rows: 300, deadLetters: 3 } });
  });

  test('do not hinder a load that is interrupted between them from resuming', async () => {
    const stopping = new AbortController();
    const small = { batchBytes: 2_048, bytesInFlight: 4_096 };
    const [interrupted] = await stage.run({
      config: small,
      allowedDeadLetters: 3,
      signal: stopping.signal,
      observer: { onProgress: (_, { rows }) => (rows > 160 ? stopping.abort(new Error('Stopped.')) : undefined) },
    });
    expect(interrupted?.reindex).toMatchObject({ state: 'loading', interrupted: true });
    const [resumed] = await stage.run({
      config: small,
      allowedDeadLetters: 3,
      mode: 'resume',
      env: { GENERATIONS_KEPT: '0' },
    });
    expect(resumed?.reindex).toMatchObject({ state: 'live', documents: 297, counts: { deadLetters: 3 } });
    expect((await letters()).map(({ id }) => id)).toEqual([150, 200, 290]);
  });

  test('are skipped by a retry', async () => {
    await stage.pool.query(`update companies set links = '{}' where id = 150`);
    const retried = await entitySearch(['dead-letters', 'retry', 'companies'], stage.env);
    expect([retried.code, JSON.parse(retried.out)]).toEqual([
      2,
      expect.objectContaining({ retried: 3, written: 1, dead_letters: 2 }),
    ]);
    expect((await letters()).map(({ id }) => id)).toEqual([200, 290]);
  });

  test('do not hinder other documents when all are read again', async () => {
    await stage.round('companies');
    await stage.pool.query(`insert into search_changes (kind, id, what) values ('companies', null, 'all')`);
    const round = await stage.round('companies');
    expect(round).toMatchObject({ documents: 298, deadLetters: 2 });
  });

  test('do not stop their kind when written repeatedly', async () => {
    const limits = { deadLetters: { ...syncConfig({}).reader.deadLetters, inARow: 3 } };
    for (let turn = 0; turn < 4; turn += 1) {
      await stage.pool.query(`update companies set overview = 'turn ${turn}' where id = 200`);
      expect(await stage.round('companies', { limits })).toMatchObject({ changes: 1, deadLetters: 1 });
    }
  });
});
