import { Registry } from 'prom-client';
import type { BackgroundDeps } from '../../../indexer/embeddings/background.ts';
import { ChangedTexts } from '../../../indexer/embeddings/changed-texts.ts';
import type { EmbeddingEvents } from '../../../indexer/embeddings/fill-vectors.ts';
import { countEmbedding } from '../../../indexer/embeddings/metrics.ts';
import { countWaiting } from '../../../indexer/embeddings/vector-rows.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { embeddingModel, vectorField } from '../../../src/embeddings/model.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import { vectorBytes } from '../../../src/lib/vector-bytes.ts';
import {
  createTestProvider,
  failWith,
  rejectTexts,
  type TestProvider,
} from '../../support/embeddings/test-provider.ts';
import { wordVector } from '../../support/embeddings/word-vectors.ts';
import { emitterOf } from '../../support/emitter.ts';
import { forFile } from '../../support/for-file.ts';
import { startSync } from '../../support/stages/running-sync.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { until } from '../../support/until.ts';

// In parallel with the readers: every text gets its vector soon, and no document waits for one.

const companies = 60;
const model = embeddingModel('words', 8);
let provider: TestProvider;
let told: string[];

const stage = await forFile(setSyncStage(companies, { embeddings: model }));

beforeEach(async () => {
  provider = createTestProvider(model);
  told = [];
  await stage.pool.query('delete from entity_vectors');
});

function background(limits: Partial<BackgroundDeps['limits']> = {}): BackgroundDeps {
  const { nowMs, random } = stage.syncDeps();
  return {
    pool: stage.pool,
    provider,
    timeoutMs: 1_000,
    events: emitterOf<EmbeddingEvents>({
      skipped: (kind, id) => told.push(`refused ${kind} ${id}`),
      failure: (text) => told.push(text),
      recovered: () => told.push('recovered'),
      removed: (kind, vectors) => told.push(`removed ${vectors} of ${kind}`),
    }),
    limits: {
      ...defaultLimits.embeddings,
      firstPauseMs: 10,
      longestPauseMs: 20,
      idleMs: 10,
      windowRows: 25,
      ...limits,
    },
    changed: new ChangedTexts(1_000),
    nowMs,
    random,
  };
}

const start = (vectors = background(), applicationName = 'sync test') =>
  startSync({ ...stage.syncDeps(), vectors, applicationName });

async function waiting(of: readonly KindName[] = kindNames): Promise<number> {
  let sum = 0;
  for (const kind of of) sum += await countWaiting(stage.pool, { kind, model: provider.model });
  return sum;
}

/** Every text has its vector, and every document, too. */
async function settled(): Promise<void> {
  await until(async () => (await waiting()) === 0, 'a vector for every text');
  await until(async () => (await stage.pending()) === 0, 'reading the change log');
  await stage.expectEqual();
}

async function vectorOf(kind: KindName, id: number): Promise<unknown> {
  const index = `${stage.indices.prefix}${kind}`;
  const found = await stage.indices.client.get<{ search: Record<string, unknown> }>({ index, id: String(id) });
  return found._source?.search[vectorField(model)];
}

const hexOf = (text: string): string => Buffer.from(vectorBytes(wordVector(text, model.dimension))).toString('hex');
const write = (sql: string) => stage.pool.query(sql);

test('existing and new texts get vectors, and removed texts lose theirs', async () => {
  await using _ = start();
  await settled();
  await write(
    `update companies set name = 'Honey House', tagline = null, tags = '{}', overview = 'Sells honey.' where id = 5`,
  );
  await settled();
  expect(await vectorOf('companies', 5)).toBe(hexOf('Honey House\nSells honey.'));
  // The text of a person describes the person's work, without names.
  expect(await vectorOf('people', 5)).toBe(hexOf('Founder'));
  await write('delete from companies where id = 60');
  const left = async () => (await write(`select from entity_vectors where kind = 'companies' and id = 60`)).rows.length;
  await until(async () => (await left()) === 0, 'removing the vector');
  await write(`insert into companies (id, name, slug) values (60, 'Again', 'again')`);
  await settled();
  expect(await vectorOf('companies', 60)).toBe(hexOf('Again'));
});

test('created, refused and pending vectors are counted', async () => {
  const registry = new Registry();
  const vectors = background();
  await write(`update companies set overview = 'unspeakable' where id = 7`);
  provider.before = rejectTexts((text) => text.includes('unspeakable'));
  countEmbedding(registry, vectors.events);
  {
    await using _ = start(vectors);
    await until(async () => (await waiting()) === 1, 'all but the refused');
    provider.before = failWith('unreachable');
    await write(`update companies set overview = 'Written meanwhile.' where id = 8`);
    await until(() => told.includes('The provider is unreachable.'), 'failing');
    const text = await registry.metrics();
    expect(text).toContain(`entity_search_embeddings_total{kind="companies",outcome="stored"} ${companies - 1}\n`);
    expect(text).toContain('entity_search_embeddings_total{kind="companies",outcome="refused"}');
    expect(text).toMatch(/entity_search_embedding_backlog\{kind="companies"\} [1-9]/);
    expect(text).toMatch(/entity_search_embedding_failures_total [1-9]/);
  }
});

test('storing a vector triggers no new one, nor does a change that leaves the text as it is', async () => {
  await using _ = start();
  await settled();
  const asked = provider.asked.length;
  await write(`update companies set logo = 'https://a.example/' || id`);
  await settled();
  expect(provider.asked).toHaveLength(asked);
});

test('while the provider is down, documents are indexed, its absence is logged at intervals, and vectors follow', async () => {
  provider.before = failWith('unreachable');
  await using _ = start();
  await until(() => told.length > 2, 'failing');
  await write(`update companies set overview = 'Written meanwhile.' where id <= 10`);
  await until(async () => (await stage.pending()) === 0, 'reading the change log');
  await stage.expectEqual();
  expect(await waiting(['companies'])).toBe(companies);
  provider.before = () => undefined;
  await settled();
  expect(told).toContain('recovered');
});

test('a rejected text is skipped until the next full scan, and the others get their vectors', async () => {
  await using _ = start(background({ scanEveryMs: 2_000 }));
  await settled();
  provider.before = rejectTexts((text) => text.includes('unspeakable'));
  await write(`update companies set overview = 'unspeakable' where id in (7, 8)`);
  await write(`update companies set overview = 'acceptable' where id in (9, 10)`);
  await until(async () => (await waiting()) === 2 && new Set(told).size === 2, 'all but the refused');
  await write(`update companies set logo = 'https://b.example/' where id = 7`);
  await until(async () => (await stage.pending()) === 0, 'reading the change log');
  // Another full scan may have reported them again.
  expect([...new Set(told)].toSorted()).toEqual(['refused companies 7', 'refused companies 8']);
  provider.before = () => undefined;
  await settled();
});

test('a sync that is stopped while the provider hangs ends immediately, and stores nothing partial', async () => {
  let hanging = 0;
  provider.before = (texts) => {
    if (texts.length > 1) hanging += 1;
    return hanging > 2 ? new Promise(() => undefined) : undefined;
  };
  const wait = provider.embed;
  provider.embed = (texts, request) =>
    Promise.race([
      wait.call(provider, texts, request),
      new Promise<never>((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason)),
      ),
    ]);
  {
    await using _ = start();
    await until(() => hanging > 2, 'hanging');
  }
  const { rows } = await write(
    `select pid from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(rows).toEqual([]);
  provider = createTestProvider(model);
  await using _ = start();
  await settled();
});

test('two processes embed nothing twice, and the second takes over', async () => {
  const other = createTestProvider(model);
  {
    await using _first = start();
    await until(async () => (await waiting()) < companies, 'beginning');
    await using _second = start({ ...background(), provider: other }, 'second');
    await settled();
    expect(provider.asked.flat().length + other.asked.flat().length).toBe(companies + 40 + 30);
  }
});

test('entities that are truncated and written again in one transaction get new vectors', async () => {
  await using _ = start(background({ scanPauseMs: 50 }));
  await settled();
  await write(
    `begin; truncate events cascade; insert into events (id, name, slug) select n, 'Gathering ' || n, 'gathering-' || n from generate_series(1, 20) n; commit`,
  );
  await settled();
  expect(await vectorOf('events', 3)).toBe(hexOf('Gathering 3'));
  await write('truncate events cascade');
  await settled();
  const left = async () => (await write(`select from entity_vectors where kind = 'events'`)).rows.length;
  await until(async () => (await left()) === 0, 'removing the vectors');
});
