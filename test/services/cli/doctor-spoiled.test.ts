import type { KindName } from '../../../src/kinds/kind.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { setDoctorStage } from '../../support/stages/doctor.ts';

// An operator breaks one thing of each kind: doctor reports each in one sentence, with the command that repairs it, and
// after these commands it has no finding.

const stage = await forFile(setDoctorStage());
const { client, prefix } = stage.indices;

interface Spoiling {
  readonly title: string;
  readonly spoil: () => Promise<unknown>;
  readonly found: RegExp;
  readonly todo: RegExp;
  /** The manual step before the command. */
  readonly correct?: () => Promise<unknown>;
}

const live = async (kind: KindName): Promise<string> => (await stage.live(kind))[0] ?? '';
const kept = (kind: KindName) =>
  readValue<string>(
    stage.pool,
    `select index_name as name from search_generations
     where kind = '${kind}' and state = 'retired' and ended_at is null and position is not null order by live_at desc limit 1`,
  );
const sql = (text: string) => () => stage.pool.query(text);
const rollback = /^Run: entity-search rollback companies( --generation \d+)?$/;
const foreign = { owner: 'somebody else', migrations: 1, version: '0.1.0' };
const migrate = /^Run: entity-search migrate && entity-search repair$/;

/** The spoilings of a round have different kinds. */
const rounds: readonly (readonly Spoiling[])[] = [
  [
    {
      title: 'an alias on two indices',
      spoil: async () => client.indices.putAlias({ index: await kept('companies'), name: `${prefix}companies` }),
      found: /names 2 indices/,
      todo: rollback,
    },
    {
      title: 'a live index that was closed',
      spoil: async () => client.indices.close({ index: await live('people') }),
      found: /is closed: every search of people fails/,
      todo: /^Run: curl -X POST .*_open"$/,
    },
    {
      title: 'an index with an older definition',
      spoil: sql(`update search_generations set hash = 'older' where kind = 'investors' and state = 'live'`),
      found: /does not match this version/,
      todo: /run: entity-search reindex investors$/,
    },
    {
      title: 'a trigger that was disabled',
      spoil: sql('alter table roles disable trigger log_insert'),
      found: /^The trigger log_insert of roles is missing, disabled or changed/,
      todo: migrate,
    },
  ],
  [
    {
      title: 'an alias that was removed',
      spoil: async () => client.indices.deleteAlias({ index: await live('companies'), name: `${prefix}companies` }),
      found: /^Nothing is searched: \S+ names no index\.$/,
      todo: rollback,
    },
    {
      title: 'an index that was blocked',
      spoil: async () =>
        client.indices.putSettings({ index: await live('people'), settings: { 'index.blocks.write': true } }),
      found: /is blocked \(index\.blocks\.write\)/,
      todo: /Run: curl -X PUT .*_settings"$/,
    },
    {
      title: 'an index of another database',
      spoil: async () => client.indices.putMapping({ index: await live('investors'), _meta: { origin: foreign } }),
      found: /was built from another database \(somebody else\)\.$/,
      todo: /take over the alias with: entity-search reindex investors --take-over$/,
    },
    {
      title: 'a trigger that was dropped',
      spoil: sql('drop trigger log_update on events'),
      found: /^The trigger log_update of events is missing, disabled or changed/,
      todo: migrate,
    },
  ],
  [
    {
      title: 'a live index that was deleted',
      spoil: async () => client.indices.delete({ index: await live('companies') }),
      found: /^Nothing is searched: \S+ names no index, and \S+, which was searched, is gone\.$/,
      todo: rollback,
    },
    {
      title: 'a position that was removed',
      spoil: sql(`update search_generations set position = null where kind = 'investors' and state = 'live'`),
      found: /has no position in the change log/,
      todo: /^Run: entity-search reindex investors$/,
    },
    {
      title: 'a row that Elasticsearch rejects',
      spoil: sql(`update people set name = repeat('x', 40000) where id = 8`),
      found: /^The row 8 of people has no document: .*name/,
      todo: /^Correct the row, then run: entity-search dead-letters retry people$/,
      correct: sql(`update people set name = 'Short' where id = 8`),
    },
  ],
  [
    {
      title: 'a halted generation with more differences than sync repairs',
      spoil: async () => {
        const index = await live('companies');
        const operations = Array.from({ length: 250 }, (_, at) => ({ delete: { _index: index, _id: String(at + 1) } }));
        await client.bulk({ operations, refresh: true });
        await sql(`update search_generations set halted = 'by hand' where kind = 'companies' and state = 'live'`)();
      },
      found: /is not followed: /,
      todo: /^Run: entity-search repair companies$/,
    },
    {
      title: 'a reindex that was interrupted',
      spoil: () => stage.interruptReindex('people'),
      found: / is not finished, and no process works on it: its reindex was interrupted\.$/,
      todo: /^Remove it with reindex people --abort, or run: entity-search reindex people --resume$/,
    },
    {
      title: 'a kept index that was closed',
      spoil: async () => client.indices.close({ index: await kept('investors') }),
      found: /is closed: it is not kept in sync, and rollback can't use it/,
      todo: /^Run: curl -X POST .*_open"$/,
    },
  ],
  [
    {
      title: 'a sync that died',
      spoil: () => stage.stopSync(),
      found: /^No sync follows the tables for \S+companies\S+, \S+, \S+, \S+people\S+\.$/,
      todo: /^Start: entity-search sync$/,
    },
  ],
];

test.each(rounds.map((spoilings) => [spoilings.map(({ title }) => title).join(', '), spoilings] as const))(
  '%s',
  async (_, spoilings) => {
    for (const { spoil } of spoilings) await spoil();
    const told = await stage.complaintsOf(spoilings.length);
    const reported = spoilings.map(({ found }) => told.filter((one) => found.test(one.found)));
    expect(reported).toEqual(
      spoilings.map(({ todo }) => [expect.objectContaining({ todo: expect.stringMatching(todo) })]),
    );
    for (const [at, { correct }] of spoilings.entries()) {
      await correct?.();
      await stage.follow(reported[at]?.[0]?.todo ?? '');
    }
    expect(await stage.complaintsOf(0)).toEqual([]);
  },
);
