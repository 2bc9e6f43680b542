import { readFile } from 'node:fs/promises';
import { parseJudgments } from '../../../dev/eval/judgments.ts';
import { succeed } from '../../support/commands.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { forFile } from '../../support/for-file.ts';
import { judgedRun } from '../../support/relevance-corpus.ts';
import { setSampleStage } from '../../support/stages/features.ts';

const stage = await forFile(setSampleStage());
const file = new URL('../../../dev/eval/sample-judgments.json', import.meta.url);
const judgments = parseJudgments(await readFile(file, 'utf8'));
const run = await judgedRun(stage, judgments);

/** Queries of a class whose first hit is not what was wanted, with what came first. */
function wrong(...classes: readonly string[]): string[] {
  const asked = run.queries.filter((query) => classes.includes(query.class));
  expect(asked.length).toBeGreaterThan(0);
  return asked
    .filter(({ score }) => 'absentHits' in score || score.success1 !== 1)
    .map(({ q, hits }) => `"${q}" found ${hits[0]?.name ?? 'nothing'} first`);
}

describe('on the fictional sample, the first hit is right', () => {
  test('for names as written, in another order, and without accents', () => {
    expect(wrong('exact', 'reversed', 'folded')).toEqual([]);
  });
  test('for misspelt names', () => expect(wrong('typo', 'typo2')).toEqual([]));
  test('for prefixes of names', () => expect(wrong('prefix')).toEqual([]));
  test('for names joined or split differently', () => expect(wrong('joined')).toEqual([]));
  test('for tickers, handles, domains and proposal numbers', () => {
    expect(wrong('ticker', 'handle', 'domain', 'proposal')).toEqual([]);
  });
  test('for aliases and former names', () => expect(wrong('alias', 'former_name')).toEqual([]));
  test('for people by organization and investors by their companies', () => {
    expect(wrong('person_org', 'portfolio')).toEqual([]);
  });
  test('for the event of a year', () => expect(wrong('event_year')).toEqual([]));
  test('for descriptions in other words than the data', () => expect(wrong('description')).toEqual([]));

  test('and a name that does not exist is not found', () => {
    const absent = run.queries.filter((query) => query.class === 'absent');
    expect(absent.filter(({ hits }) => hits.length > 0).map(({ q }) => q)).toEqual([]);
  });
});

test('with three shards per kind, the ranking is as good as with one', async () => {
  // The indices of other files can't be followed.
  await stage.pool.query('delete from search_generations');
  await using indices = createTestIndices();
  const env = { ...stage.env, INDEX_PREFIX: indices.prefix };
  await succeed({ ...env, ELASTICSEARCH_SHARDS: '3' }, 'reindex');
  await indices.client.indices.refresh({ index: `${indices.prefix}*` });
  const settings = Object.values(await indices.client.indices.getSettings({ index: `${indices.prefix}*` }));
  expect(settings.map((one) => one.settings?.index?.number_of_shards)).toEqual(['3', '3', '3', '3']);
  const { summary } = await judgedRun({ ...stage, env }, judgments);
  expect(Math.abs(summary.macro - run.summary.macro)).toBeLessThanOrEqual(0.002);
});
