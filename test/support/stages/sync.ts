import type pg from 'pg';
import { haltGenerations } from '../../../indexer/change-log/halts.ts';
import { listFollowed } from '../../../indexer/change-log/positions.ts';
import { GenerationReader, type ReaderLimits, type Round } from '../../../indexer/change-log/reader.ts';
import { type SyncConfig, syncConfig } from '../../../indexer/config.ts';
import type { SyncDeps, SyncEvents } from '../../../indexer/sync/events.ts';
import { createWriteContext } from '../../../indexer/write/write-context.ts';
import { documentSql } from '../../../mappings/registry.ts';
import type { EmbeddingModel } from '../../../src/embeddings/model.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { emitterOf, type Handlers } from '../emitter.ts';
import { createTestClient } from '../engines/indices.ts';
import { type ReindexStage, setReindexStage } from './reindex.ts';

/** A stage with live indices, whose rounds a test starts by hand. */
export interface SyncStage extends ReindexStage {
  /** Runs one round of the reader of a kind's live generation. */
  round(kind: KindName, options?: RoundOptions): Promise<Round>;
  /** Runs a round of each kind. */
  roundOfAll(): Promise<void>;
  /** Makes everything that was reached settled, as after a long time. */
  settleAll(): Promise<void>;
  /** Expects that every document of every live index equals the tables. */
  expectEqual(wanted?: readonly KindName[]): Promise<void>;
  syncDeps(handlers?: Handlers<SyncEvents>, config?: Partial<SyncConfig>): SyncDeps;
  halt(kind: KindName): Promise<number>;
  /** Returns the number of entries that wait for an index. */
  pending(): Promise<number>;
}

interface RoundOptions {
  readonly url?: string;
  readonly limits?: Partial<ReaderLimits>;
}

/** Limits with which a failure shows immediately. The timeout allows for a slow machine. */
const quick = {
  bulk: { requestTimeoutMs: 30_000, firstPauseMs: 10, longestPauseMs: 50, giveUpAfterMs: 0 },
  reader: { identityEveryMs: 0, keepMs: 600_000 },
};

interface SyncStageOptions {
  /** Those with an index; by default all. */
  readonly kinds?: readonly KindName[];
  /** The model whose vectors the documents hold; by default none is. */
  readonly embeddings?: EmbeddingModel | null;
}

export async function setSyncStage(
  companies?: number,
  { kinds = kindNames, embeddings = null }: SyncStageOptions = {},
): Promise<SyncStage> {
  const stage = await setReindexStage(companies);
  const reports = await stage.run({ kinds, config: { embeddings } });
  expect(reports.map(({ reindex }) => reindex.state)).toEqual(kinds.map(() => 'live'));
  const { pool, indices } = stage;
  async function round(kind: KindName, { url = indices.url, limits = {} }: RoundOptions = {}): Promise<Round> {
    const config = syncConfig({});
    const client = createTestClient(url);
    try {
      const [live] = await stage.live(kind);
      const followed = (await listFollowed(pool, [kind])).find(({ indexName }) => indexName === live);
      if (followed === undefined) throw new Error(`no live generation of ${kind}`);
      const reader = new GenerationReader(
        {
          ...createWriteContext(pool, client, config),
          config: { ...config, bulk: quick.bulk, reader: { ...config.reader, ...quick.reader, ...limits } },
        },
        followed.id,
      );
      return await reader.round(new AbortController().signal);
    } finally {
      await client.close();
    }
  }

  async function roundOfAll(): Promise<void> {
    for (const kind of kinds) await round(kind);
  }

  return {
    ...stage,
    round,
    roundOfAll,
    async settleAll() {
      for (let turn = 0; turn < 3; turn += 1) {
        await pool.query(`update search_generations set position_at = 'epoch', between_at = 'epoch'`);
        await roundOfAll();
      }
    },
    async expectEqual(wanted = kinds) {
      const none = { missing: [], extra: [], stale: [] };
      for (const kind of wanted)
        expect({ kind, ...(await differences(stage, kind, embeddings)) }).toEqual({ kind, ...none });
    },
    async halt(kind) {
      const { id } = await stage.liveRow(kind);
      await haltGenerations(pool, { ids: [id], reason: 'the test says so.' });
      return id;
    },
    pending: () => readValue<number>(pool, 'select coalesce(sum(pending), 0)::int from search_lag'),
    syncDeps(handlers = {}, changed = {}) {
      const config = { ...syncConfig({}), ...changed };
      return {
        // Like the command.
        ...createWriteContext(pool, indices.client, config, 2),
        indexPrefix: indices.prefix,
        applicationName: 'entity-search sync, test:1',
        events: emitterOf<SyncEvents>(handlers),
      };
    },
  };
}

/** Returns ids that differ, without the code under test. */
async function differences(
  { pool, indices }: { pool: pg.Pool; indices: ReindexStage['indices'] },
  kind: KindName,
  embeddings: EmbeddingModel | null,
) {
  const index = `${indices.prefix}${kind}`;
  await indices.client.indices.refresh({ index });
  const found = await indices.client.search({ index, size: 10_000, sort: [{ id: 'asc' }] });
  const held = new Map(found.hits.hits.map((hit) => [Number(hit._id), JSON.stringify(hit._source)]));
  const { rows } = await pool.query<{ id: number; body: string }>(documentSql(kind, { embeddings }));
  const told = new Map(rows.map(({ id, body }) => [id, JSON.stringify(JSON.parse(body))]));
  return {
    missing: [...told.keys()].filter((id) => !held.has(id)),
    extra: [...held.keys()].filter((id) => !told.has(id)),
    stale: [...told].filter(([id, body]) => held.has(id) && held.get(id) !== body).map(([id]) => id),
  };
}
