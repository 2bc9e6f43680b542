import type pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { type CommandRun, entitySearch } from '../../../dev/lib/command-line.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { createTestIndices, type TestIndices } from '../../support/engines/indices.ts';
import { type Draw, drawFrom } from '../../support/sources/draw.ts';
import { drawSchema, type RandomSchema } from '../../support/sources/random-schema.ts';
import { firstRows } from '../../support/sources/random-statements.ts';
import { runScript } from '../../support/sources/run-script.ts';
import { onTwin, openTwinSessions, type TwinSessions } from '../../support/sources/twin-sessions.ts';

// Any views over any tables, any statements: afterwards documents equal the views, and no statement fails that doesn't
// fail without triggers.
//
// SEEDS=from..to tries others.

const [from = 1, to = from + 2] = (process.env.SEEDS ?? '1..3').split('..').map(Number);
const seeds = Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Kinds that the views show. */
const shownKinds = ['companies', 'people'];

interface Stage {
  readonly schema: RandomSchema;
  readonly pool: pg.Pool;
  readonly indices: TestIndices;
  readonly sessions: TwinSessions;
  run(...args: readonly string[]): Promise<CommandRun>;
}

async function open(resources: AsyncDisposableStack, draw: Draw): Promise<Stage> {
  const schema = drawSchema(draw);
  const { url } = resources.use(await createTestDatabase());
  const indices = resources.use(createTestIndices());
  const env = { DATABASE_URL: url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
  const run = async (...args: readonly string[]) => {
    const { code, out, err } = await entitySearch(args, env);
    expect({ args, code, problem: code === 0 ? '' : err + out }).toEqual({ args, code: 0, problem: '' });
    return { code, out, err };
  };
  await withClient(url, async (client) => {
    const rows = firstRows(schema, draw);
    for (const sql of [schema.tables, ...rows]) {
      await client.query(sql);
      await client.query(onTwin(sql));
    }
    await client.query('create schema if not exists search_source');
    await client.query(schema.views);
    await run('migrate');
    await runScript(client, (await run('triggers')).out);
  });
  await run('reindex', ...shownKinds);
  const pool = createPool(
    {
      url,
      applicationName: 'random schemas',
      maxConnections: 2,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 30_000,
      idleTimeoutMs: 30_000,
    },
    () => undefined,
  );
  resources.defer(() => pool.end());
  const sessions = resources.use(await openTwinSessions(url));
  return { schema, pool, indices, sessions, run };
}

test.each(seeds)(
  'documents equal the views of schema %i',
  async (seed) => {
    await using resources = new AsyncDisposableStack();
    const draw = drawFrom(seed);
    const stage = await open(resources, draw);
    const { schema, sessions, run } = stage;
    try {
      for (let round = 0; round < 4; round += 1) {
        const isUnnoted = await sessions.write(schema, draw, 12);
        if (draw.once(2)) await sessions.settle();
        await run('sync', '--once');
        if (isUnnoted) await run('repair', ...shownKinds);
      }
      await sessions.settle();
      await run('sync', '--once');
      for (const kind of shownKinds) await expectEqual(stage, kind);
      const { err } = await run('verify', '--deep', ...shownKinds);
      expect(err).not.toContain('no trigger has noted');
    } catch (error) {
      throw new Error([`seed ${seed}`, schema.tables, schema.views, ...sessions.log].join('\n'), { cause: error });
    }
  },
  120_000,
);

/** Compares documents with the team's own view, without what `migrate` makes of it. */
async function expectEqual({ pool, indices: { client, prefix } }: Stage, kind: string): Promise<void> {
  const { rows: columns } = await pool.query<{ key: string; hasId: boolean }>(
    `select string_agg(format('%I::text', attname), ', ' order by attname) as key, bool_or(attname = 'id') as "hasId" from pg_attribute
     where attrelid = $1::regclass and attname ~ '^(id|key[0-9]?)$'`,
    [`search_source.${kind}`],
  );
  const { rows } = await pool.query<{ id: number; name: string }>(
    `select e.id, s.name from (select array[${columns[0]?.key}] as key, name from search_source.${kind}) as s
     left join source_entities e on e.kind = $1 and e.key = s.key
     where s.name is not null and (not $2 or s.key[1]::bigint > 0) order by e.id`,
    [kind, columns[0]?.hasId ?? false],
  );
  const index = `${prefix}${kind}`;
  await client.indices.refresh({ index });
  const { hits } = await client.search({ index, size: 5_000, _source: ['id', 'name'], sort: [{ id: 'asc' }] });
  expect({ kind, documents: hits.hits.map(({ _source }) => _source) }).toEqual({ kind, documents: rows });
}
