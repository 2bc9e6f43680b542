import { hostname } from 'node:os';
import { type EmbedKindDeps, type EmbedReport, embedKind } from '../../../indexer/embeddings/embed-kind.ts';
import type { EmbeddingEvents } from '../../../indexer/embeddings/fill-vectors.ts';
import { vectorLock } from '../../../indexer/embeddings/scan.ts';
import { countWaiting } from '../../../indexer/embeddings/vector-rows.ts';
import { openLockSession } from '../../../indexer/generations/locks.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { createTestProvider, failWith, type TestProvider } from '../../support/embeddings/test-provider.ts';
import { emitterOf } from '../../support/emitter.ts';
import { forFile } from '../../support/for-file.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';
import { until } from '../../support/until.ts';

// Every text gets its vector, whatever the provider and the writers do meanwhile; stored vectors are not created again.

const companies = 60;
const never = new AbortController().signal;
let provider: TestProvider;
let failures: string[];
let skipped: number[];
let waitedFor: string[];

const stage = await forFile(setReindexStage(companies));
const locks = await forFile(openLockSession(stage.pool, `fill test, ${hostname()}`, 'the locks of the vectors'));

beforeEach(async () => {
  provider = createTestProvider();
  [failures, skipped, waitedFor] = [[], [], []];
  await stage.pool.query('delete from entity_vectors');
});

function deps(changed: Partial<EmbedKindDeps> = {}): EmbedKindDeps {
  return {
    pool: stage.pool,
    provider,
    timeoutMs: 1_000,
    locks,
    random: () => 0,
    limits: { windowRows: 25, attempts: 3, firstPauseMs: 1, longestPauseMs: 2 },
    events: emitterOf<EmbeddingEvents>({
      skipped: (_kind, id) => skipped.push(id),
      failure: (text) => failures.push(text),
      recovered: () => failures.push('recovered'),
    }),
    onWaiting: (_kind, holder) => waitedFor.push(holder),
    ...changed,
  };
}

const embed = (signal = never, kind: KindName = 'companies'): Promise<EmbedReport> => embedKind(deps(), kind, signal);
const target = () => ({ kind: 'companies', model: provider.model }) as const;
const change = (id: number, overview: string) =>
  stage.pool.query('update companies set overview = $2 where id = $1', [id, overview]);

const stored = (id: number) =>
  readValue<string>(
    stage.pool,
    `select encode(vector, 'hex') as vector from entity_vectors where kind = 'companies' and id = $1 and model = $2`,
    [id, provider.model.key],
  );

test('every text gets a vector; a second run finds nothing to do, and a third what changed', async () => {
  expect(await embed()).toEqual({ kind: 'companies', stored: companies, skipped: 0, removed: 0, waiting: 0 });
  expect(provider.asked.flat()).toHaveLength(companies);
  expect(await embed()).toMatchObject({ stored: 0, waiting: 0 });
  expect(provider.asked.flat()).toHaveLength(companies);
  const before = await stored(3);
  await change(3, 'Keeps bees and lends hives to gardeners.');
  expect(await embed()).toMatchObject({ stored: 1 });
  expect(provider.asked.at(-1)).toEqual([expect.stringContaining('Keeps bees')]);
  expect(await stored(3)).not.toBe(before);
  await stage.pool.query('update companies set logo = $1 where id = 4', ['https://a.example/logo.png']);
  expect(await embed()).toMatchObject({ stored: 0 });
});

test('a text that changes while it is embedded does not get the vector of its old form', async () => {
  let changes = 0;
  provider.before = async (texts) => {
    if (changes > 0 || !texts.some((text) => text.includes('Keeps bees'))) return;
    changes += 1;
    await change(3, 'Sells honey.');
  };
  await change(3, 'Keeps bees.');
  expect(await embed()).toMatchObject({ stored: companies, waiting: 0 });
  expect(provider.asked.at(-1)).toEqual([expect.stringContaining('Sells honey')]);
});

test('vectors of deleted entities are removed, and an entity that reuses an id gets its own', async () => {
  await embed();
  const before = await stored(60);
  await stage.pool.query('delete from companies where id = 60');
  expect(await embed()).toMatchObject({ removed: 1, waiting: 0 });
  await expect(stored(60)).rejects.toThrow('No row');
  await stage.pool.query(`insert into companies (id, name, slug) values (60, 'Another', 'another')`);
  expect(await embed()).toMatchObject({ stored: 1 });
  expect(await stored(60)).not.toBe(before);
});

test.each(['unreachable', 'timeout', 'refused', 'rejected', 'invalid', 'busy'] as const)(
  'a provider that is %s is retried, then the command reports it and keeps its results',
  async (reason) => {
    let batches = 0;
    provider.before = async (texts) => {
      batches += 1;
      if (batches > 3) await failWith(reason)(texts);
    };
    const given = embed();
    await expect(given).rejects.toThrow(`No vectors can be created: The provider is ${reason}.`);
    expect(failures).toEqual([`The provider is ${reason}.`, `The provider is ${reason}.`]);
    await locks.release(vectorLock(target()));
    const waiting = await countWaiting(stage.pool, target());
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThanOrEqual(companies - 8);
    provider.before = () => undefined;
    expect(await embed()).toMatchObject({ stored: waiting, waiting: 0 });
  },
);

test('the command continues when the provider is back', async () => {
  let batches = 0;
  provider.before = async (texts) => {
    batches += 1;
    if (batches > 2 && batches < 6) await failWith('unreachable')(texts);
  };
  expect(await embed()).toMatchObject({ stored: companies, waiting: 0 });
  expect(failures.at(-1)).toBe('recovered');
});

test('of two concurrent runs, the second waits for the first, and nothing is embedded twice', async () => {
  await using others = await openLockSession(stage.pool, 'the first', 'the locks of the vectors');
  await others.take(vectorLock(target()));
  const second = embed();
  await until(() => waitedFor.length > 0, 'waiting for the first');
  expect(waitedFor).toEqual([expect.stringContaining('the first')]);
  await others.release(vectorLock(target()));
  expect(await second).toMatchObject({ stored: companies });
  expect(provider.asked.flat()).toHaveLength(companies);
});
