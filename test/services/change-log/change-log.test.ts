import type pg from 'pg';
import {
  affectedDocuments,
  type DependantLookup,
  dependantPages,
  scanChanges,
} from '../../../indexer/change-log/changes.ts';
import { readChangeLogSize } from '../../../indexer/change-log/log-size.ts';
import { pruneChanges } from '../../../indexer/change-log/prune.ts';
import { GenerationReader } from '../../../indexer/change-log/reader.ts';
import { readReaderStatus, resolvedSnapshot } from '../../../indexer/change-log/reader-status.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { setSyncStage } from '../../support/stages/sync.ts';

// The position of a reader, the entries it may skip, and the removal of earlier entries, in every order.

const never = new AbortController().signal;

const stage = await forFile(setSyncStage(500));

interface Standing {
  readonly id: number;
  readonly position: string;
  readonly settled: string | null;
  readonly between: string | null;
  readonly progress: string | null;
  readonly applied: number;
  readonly pending: number;
}

async function standing(kind: string): Promise<Standing> {
  const { rows } = await stage.pool.query<Standing>(
    `select p.id, p.position::text as position, p.settled_position::text as settled,
            p.between_position::text as between,
            p.progress_to::text as progress, lag.changes_applied as applied, lag.pending
     from search_generations p join search_lag lag on lag.generation_id = p.id
     where p.kind = $1 and p.state = 'live'`,
    [kind],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`no live generation of ${kind}`);
  return row;
}

const entries = () => readValue<number>(stage.pool, 'select count(*) as n from search_changes');

/** A connection with a transaction under way that has written; to be committed by the caller. */
async function openWriter(sql: string): Promise<pg.PoolClient> {
  const client = await stage.pool.connect();
  await client.query('begin');
  await client.query(sql);
  return client;
}

async function commit(client: pg.PoolClient): Promise<void> {
  await client.query('commit');
  client.release();
}

describe('a round through a huge transaction', () => {
  const inserted = 2_500;

  /** Follows in chunks until this many entries are acknowledged and noted, then is cut off. */
  async function interruptedRound(entriesAtLeast: number, chunkSize = 50): Promise<void> {
    const { id, applied } = await standing('companies');
    const deps = stage.syncDeps();
    const stopping = new AbortController();
    const limits = { ...deps.config.reader, identityEveryMs: 0, chunkSize, stepMs: 0 };
    const reader = new GenerationReader({ ...deps, config: { ...deps.config, reader: limits } }, id);
    const round = reader.round(stopping.signal);
    const cut = (async () => {
      for (let now = await standing('companies'); now.applied < applied + entriesAtLeast; ) {
        now = await standing('companies');
      }
      stopping.abort(new Error('cut off'));
    })();
    await expect(round).rejects.toThrow('cut off');
    await cut;
  }

  beforeAll(async () => {
    await stage.settleAll();
  });

  test('continues after an interruption, even if older and newer transactions commit meanwhile', async () => {
    const older = await openWriter(`update companies set overview = 'older' where id = 60`);
    await stage.pool.query(
      `insert into companies (id, name, slug)
       select 100000 + n, 'Bulk ' || n, 'bulk-' || n from generate_series(1, ${inserted}) n`,
    );
    const newer = await openWriter(`update companies set overview = 'newer' where id = 61`);
    const before = await standing('companies');
    expect(before.pending).toBe(inserted);
    await interruptedRound(500);
    const stopped = await standing('companies');
    const done = stopped.applied - before.applied;
    expect(done).toBeGreaterThanOrEqual(500);
    expect(done).toBeLessThan(inserted);
    expect(stopped.pending).toBe(inserted - done);
    await commit(older);
    expect((await standing('companies')).pending).toBe(inserted - done + 1);
    // A second interruption before the same snapshot.
    const between = await standing('companies');
    const seenBetween = await readReaderStatus(stage.pool, between.id, await resolvedSnapshot(stage.syncDeps()));
    await interruptedRound(200);
    // Inside a transaction the position does not move; its waiters see that the reader works.
    const inside = await standing('companies');
    expect(inside.position).toBe(between.position);
    const seenInside = await readReaderStatus(stage.pool, between.id, await resolvedSnapshot(stage.syncDeps()));
    expect(seenInside.position).not.toBe(seenBetween.position);
    await commit(newer);
    const again = (await standing('companies')).applied - before.applied;
    const round = await stage.round('companies');
    // Nothing of the transaction twice, and both others.
    expect(round.changes).toBe(inserted - again + 2);
    expect(await standing('companies')).toMatchObject({ pending: 0, progress: null });
    expect((await stage.round('companies')).changes).toBe(0);
    await stage.indices.client.indices.refresh({ index: `${stage.indices.prefix}companies` });
    const { count } = await stage.indices.client.count({ index: `${stage.indices.prefix}companies` });
    expect(count).toBe(500 + inserted);
    await stage.pool.query('delete from companies where id > 100000');
    await stage.round('companies');
    await stage.expectEqual(['companies']);
  });

  test('restarts from the settled position if the index has other shard copies, and settles nothing too early', async () => {
    await stage.settleAll();
    await stage.pool.query(
      `update companies set tagline = 'x' || n from generate_series(1, 5) n where id between 1 and 500`,
    );
    await stage.round('companies', { limits: { keepMs: 600_000 } });
    await stage.pool.query(`update companies set tagline = 'y' where id between 1 and 400`);
    await interruptedRound(100, 5);
    const before = await standing('companies');
    expect(before.progress).not.toBeNull();
    expect(before.between).not.toBeNull();
    await stage.pool.query(`update search_generations set target_identity = 'another' where id = $1`, [before.id]);
    expect((await stage.round('companies')).rewound).toBe(true);
    const back = await standing('companies');
    expect(back).toMatchObject({ position: before.settled, between: null, progress: null });
    // The next settled position lies ahead now: pruning by it would remove entries that must be applied again.
    await stage.round('companies', { limits: { chunkSize: 100, stepMs: 0, keepMs: 0 } });
    await pruneChanges(stage.pool, never);
    await stage.expectEqual(['companies']);
  });
});

test('a transaction that was under way at the position is read to its end, chunk by chunk', async () => {
  const snapshot = () => readValue<string>(stage.pool, 'select pg_current_snapshot()::text');
  const writer = await openWriter('update companies set overview = id::text where id <= 5');
  // A later transaction ends, so the snapshot lists the earlier one as under way.
  await stage.pool.query('select pg_current_xact_id()');
  const from = await snapshot();
  await commit(writer);
  const [to, seen] = [await snapshot(), [] as (number | null)[]];
  const chunks = scanChanges(stage.pool, { reader: 'companies', from, to, chunkSize: 2 });
  for await (const { changes } of chunks) seen.push(...changes.map(({ id }) => id));
  expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5]);
});

test('the table refuses a settled position ahead of the position', async () => {
  const ahead = `update search_generations set settled_position = '9000000000:9000000000:' where position is not null`;
  await expect(stage.pool.query(ahead)).rejects.toMatchObject({ code: '23514' });
  const between = `update search_generations set between_position = '1:9000000000:' where position is not null`;
  await expect(stage.pool.query(between)).rejects.toMatchObject({ code: '23514' });
});

test('a reader next to a busy kind neither reads its entries nor writes a new position', async () => {
  await stage.roundOfAll();
  await stage.pool.query(`update search_generations set position_at = now()`);
  const before = await standing('events');
  await stage.pool.query(`update companies set overview = 'many' where id <= 500`);
  const { rows: plan } = await stage.pool.query<Record<string, string>>(
    `explain (analyze, costs off, timing off) select count(*) from search_unseen('events', $1::pg_snapshot)`,
    [before.position],
  );
  const looked = plan.map((line) => Object.values(line).join()).filter((line) => /Scan.* on search_changes/.test(line));
  expect(looked.length).toBeGreaterThan(0);
  expect(looked.filter((line) => !/rows=0|never executed/.test(line))).toEqual([]);
  // With a stopped clock: no read takes long.
  const reader = new GenerationReader({ ...stage.syncDeps(), nowMs: () => 0 }, before.id);
  expect((await reader.round(never)).changes).toBe(0);
  expect(await standing('events')).toMatchObject({ position: before.position, pending: 0 });
  // At rest it still moves, so that it keeps no entry from being pruned.
  await stage.pool.query(`update search_generations set position_at = now() - interval '2 minutes'`);
  await stage.round('events');
  expect((await standing('events')).position).not.toBe(before.position);
  await stage.roundOfAll();
});

test('a round past many uncommitted entries is not repeated from the same position', async () => {
  await stage.roundOfAll();
  await stage.pool.query(`update search_generations set position_at = now()`);
  const open = await openWriter(`update companies set overview = 'open' where id <= 100`);
  try {
    const before = await standing('companies');
    const deps = stage.syncDeps();
    let clockMs = 0;
    // Each read takes a second.
    const nowMs = () => {
      clockMs += 1_000;
      return clockMs;
    };
    const reader = new GenerationReader({ ...deps, nowMs }, before.id);
    expect((await reader.round(never)).changes).toBe(0);
    expect((await standing('companies')).position).not.toBe(before.position);
  } finally {
    await commit(open);
  }
  expect((await stage.round('companies')).changes).toBe(100);
  await stage.expectEqual(['companies']);
});

describe('pruning', () => {
  beforeEach(async () => {
    await stage.settleAll();
    await pruneChanges(stage.pool, never);
  });

  test('keeps the slot that a long transaction writes to, and no later entries', async () => {
    const long = await openWriter(`update companies set overview = 'long' where id = 70`);
    try {
      await stage.pool.query(`update companies set overview = 'short' where id between 71 and 90`);
      expect(await entries()).toBe(20);
      await stage.settleAll();
      expect(await pruneChanges(stage.pool, never)).toBe(0);
      await stage.pool.query(`update companies set overview = 'shorter' where id between 71 and 75`);
      await stage.settleAll();
      expect(await pruneChanges(stage.pool, never)).toBe(5);
      expect(await entries()).toBe(20);
    } finally {
      await commit(long);
    }
    // Unseen until now, and not removed by readers that saw later entries.
    expect(await pruneChanges(stage.pool, never)).toBe(0);
    expect((await stage.round('companies')).changes).toBe(1);
    await stage.expectEqual(['companies']);
    await stage.settleAll();
    expect(await pruneChanges(stage.pool, never)).toBe(21);
  });

  test('keeps every entry that a reader has not settled', async () => {
    await stage.pool.query(`update companies set name = 'Seen by most', slug = 'seen-by-most' where id = 91`);
    for (const kind of kindNames) if (kind !== 'people') await stage.round(kind);
    await stage.pool.query(
      `update search_generations set settled_position = position where kind <> 'people' and position is not null`,
    );
    expect(await pruneChanges(stage.pool, never)).toBe(0);
    expect((await stage.round('people')).changes).toBe(1);
    await stage.expectEqual();
  });

  test('removes entries with transactions of another server, which are not read or counted as lag', async () => {
    const { rows } = await stage.pool.query<{ xid: string }>(
      `insert into search_changes (xid, kind, id, what)
       select (pg_snapshot_xmax(pg_current_snapshot())::text::numeric + 1000000 + n)::text::xid8, 'companies', n, 'row'
       from generate_series(1, 30) n returning xid::text`,
    );
    expect(rows).toHaveLength(30);
    expect(await standing('companies')).toMatchObject({ pending: 0 });
    expect((await stage.round('companies')).changes).toBe(0);
    expect(await readChangeLogSize(stage.pool, { maxEntries: 1_000, maxAgeMs: 1_000 })).toMatchObject({ oldestMs: 0 });
    await stage.pool.query(`update companies set overview = 'ours' where id = 92`);
    expect(await pruneChanges(stage.pool, never)).toBe(0);
    expect((await stage.round('companies')).changes).toBe(1);
    await stage.settleAll();
    expect(await pruneChanges(stage.pool, never)).toBe(31);
  });
});

test('all dependants are found, one page at a time', async () => {
  await stage.pool.query(
    `insert into roles (person_id, position, title, company_id) select n, 7, 'Guest', 1 from generate_series(1, 40) n`,
  );
  const { lookups } = affectedDocuments(
    { kind: 'people', embeddingModel: null },
    [1, 2, 3].map((id) => ({ xid: '1', seq: id, id, what: 'references', entity: 'companies', model: null })),
  );
  const pagesOf = async (of: readonly DependantLookup[], size: number): Promise<number[][]> => {
    const pages: number[][] = [];
    for await (const page of dependantPages(stage.pool, of, size)) pages.push([...page]);
    return pages;
  };
  const pages = await pagesOf(lookups, 7);
  expect(Math.max(...pages.map((page) => page.length))).toBe(7);
  expect(pages.flat()).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  expect(await pagesOf(lookups, 1)).toHaveLength(40);
  await stage.pool.query('delete from roles where position = 7');
});
