import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { setDoctorStage } from '../../support/stages/doctor.ts';

// An operator breaks one thing at a time: doctor reports it in one sentence, with the command that repairs it, and after
// that command it has no finding.

const stage = await forFile(setDoctorStage());
// Each test leaves it like that.
expect(await stage.complaintsOf(0)).toEqual([]);

interface Spoiling {
  readonly title: string;
  readonly spoil: () => Promise<unknown>;
  readonly found: RegExp;
  readonly todo: RegExp;
  /** The manual step before the command. */
  readonly correct?: () => Promise<unknown>;
}

const live = async (): Promise<string> => (await stage.live('companies'))[0] ?? '';
const kept = () =>
  readValue<string>(
    stage.pool,
    `select index_name as name from search_generations
     where kind = 'companies' and state = 'retired' and ended_at is null and position is not null order by live_at desc limit 1`,
  );
const sql = (text: string) => () => stage.pool.query(text);
const repair = /^Run: entity-search repair companies$/;
const rollback = /^Run: entity-search rollback companies( --generation \d+)?$/;
const migrate = /^Run: entity-search migrate && entity-search repair$/;

const spoilings: readonly Spoiling[] = [
  {
    title: 'an alias on two indices',
    spoil: async () =>
      stage.indices.client.indices.putAlias({ index: await kept(), name: `${stage.indices.prefix}companies` }),
    found: /names 2 indices/,
    todo: rollback,
  },
  {
    title: 'an alias that was removed',
    spoil: async () =>
      stage.indices.client.indices.deleteAlias({ index: await live(), name: `${stage.indices.prefix}companies` }),
    found: /^Nothing is searched: \S+ names no index\.$/,
    todo: rollback,
  },
  {
    title: 'a live index that was deleted',
    spoil: async () => stage.indices.client.indices.delete({ index: await live() }),
    found: /^Nothing is searched: \S+ names no index, and \S+, which was searched, is gone\.$/,
    todo: rollback,
  },
  {
    title: 'a live index that was closed',
    spoil: async () => stage.indices.client.indices.close({ index: await live() }),
    found: /is closed: every search of companies fails/,
    todo: /^Run: curl -X POST .*_open"$/,
  },
  {
    title: 'an index that was blocked',
    spoil: async () =>
      stage.indices.client.indices.putSettings({ index: await live(), settings: { 'index.blocks.write': true } }),
    found: /is blocked \(index\.blocks\.write\)/,
    todo: /Run: curl -X PUT .*_settings"$/,
  },
  {
    title: 'an index with an older definition',
    spoil: sql(`update search_generations set hash = 'older' where kind = 'companies' and state = 'live'`),
    found: /does not match this version/,
    todo: /run: entity-search reindex companies$/,
  },
  {
    title: 'an index of another database',
    spoil: async () =>
      stage.indices.client.indices.putMapping({
        index: await live(),
        _meta: { origin: { owner: 'somebody else', migrations: 1, version: '0.1.0' } },
      }),
    found: /was built from another database \(somebody else\)\.$/,
    todo: /take over the alias with: entity-search reindex companies --take-over$/,
  },
  {
    title: 'a trigger that was dropped',
    spoil: sql('drop trigger log_update on companies'),
    found: /^The trigger log_update of companies is missing, disabled or changed/,
    todo: migrate,
  },
  {
    title: 'a trigger that was disabled',
    spoil: sql('alter table roles disable trigger log_insert'),
    found: /^The trigger log_insert of roles is missing, disabled or changed/,
    todo: migrate,
  },
  {
    title: 'a position that was removed',
    spoil: sql(`update search_generations set position = null where kind = 'companies' and state = 'live'`),
    found: /has no position in the change log/,
    todo: /^Run: entity-search reindex companies$/,
  },
  {
    title: 'a halted generation with more differences than sync repairs',
    spoil: async () => {
      const index = await live();
      const operations = Array.from({ length: 2_500 }, (_, at) => ({ delete: { _index: index, _id: String(at + 1) } }));
      await stage.indices.client.bulk({ operations, refresh: true });
      return stage.pool.query(
        `update search_generations set halted = 'by hand' where kind = 'companies' and state = 'live'`,
      );
    },
    found: /is not followed: /,
    todo: repair,
  },
  {
    title: 'a row that Elasticsearch rejects',
    spoil: sql(`update companies set name = repeat('x', 40000) where id = 2008`),
    found: /^The row 2008 of companies has no document: .*name/,
    todo: /^Correct the row, then run: entity-search dead-letters retry companies$/,
    correct: sql(`update companies set name = 'Short' where id = 2008`),
  },
  {
    title: 'a reindex that was interrupted',
    spoil: () => stage.interruptReindex('companies'),
    found: / is not finished, and no process works on it: its reindex was interrupted\.$/,
    todo: /^Remove it with reindex companies --abort, or run: entity-search reindex companies --resume$/,
  },
  {
    title: 'a kept index that was closed',
    spoil: async () => stage.indices.client.indices.close({ index: await kept() }),
    found: /is closed: it is not kept in sync, and rollback can't use it/,
    todo: /^Run: curl -X POST .*_open"$/,
  },
  {
    title: 'a sync that died',
    spoil: () => stage.stopSync(),
    found: /^No sync follows the tables for \S+companies\S+, \S+, \S+, \S+people\S+\.$/,
    todo: /^Start: entity-search sync$/,
  },
];

test.each(spoilings)('$title', async ({ spoil, found, todo, correct }) => {
  await spoil();
  const told = await stage.complaintsOf(1);
  expect(told).toEqual([
    expect.objectContaining({ found: expect.stringMatching(found), todo: expect.stringMatching(todo) }),
  ]);
  await correct?.();
  await stage.follow(told[0]?.todo ?? '');
  expect(await stage.complaintsOf(0)).toEqual([]);
});
