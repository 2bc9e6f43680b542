import { initialReindex, nextState, type ReindexStatus, type StepOutcome } from '../../../indexer/generations/model.ts';
import { changedPaths } from '../../../indexer/generations/plan.ts';

const rules = { allowedDeadLetters: 2 };
const counts = { rows: 10, deadLetters: 1, bytes: 999 };
const comparison = { documents: 9, rows: 10, deadLetters: 1, letterSamples: [], differences: 0, samples: [] };
const successes: readonly StepOutcome[] = [
  { type: 'done' },
  { type: 'done' },
  { type: 'done', counts },
  { type: 'done' },
  { type: 'done', comparison },
  { type: 'done' },
];

function walk(outcomes: readonly StepOutcome[]): readonly ReindexStatus[] {
  let reindex = initialReindex;
  return outcomes.map((outcome) => {
    reindex = nextState(reindex, outcome, rules);
    return reindex;
  });
}

test('a reindex that succeeds at every step becomes live and keeps its counts', () => {
  const steps = walk(successes);
  expect(steps.map(({ state }) => state)).toEqual(['created', 'loading', 'catching-up', 'verifying', 'ready', 'live']);
  expect(steps.at(-1)).toEqual({
    state: 'live',
    counts,
    documents: 9,
    error: undefined,
    refused: false,
    interrupted: false,
  });
});

test('a failure in any state ends the reindex with the reason', () => {
  for (const at of successes.keys()) {
    const end = walk([...successes.slice(0, at), { type: 'failed', error: 'why' }]).at(-1);
    expect(end).toMatchObject({ state: 'failed', error: 'why', refused: false });
  }
});

test('no event is possible after the end', () => {
  const live = walk(successes).at(-1) ?? initialReindex;
  expect(() => nextState(live, { type: 'failed', error: 'late' }, rules)).toThrow('is live');
});

test('too many rejections stop a reindex in its state, as a refusal that can be resumed', () => {
  const loading = walk(successes.slice(0, 2)).at(-1) ?? initialReindex;
  expect(nextState(loading, { type: 'stopped', error: 'too many' }, rules)).toEqual({
    ...loading,
    error: 'too many',
    interrupted: true,
    refused: true,
  });
});

test('an interruption keeps the state, and the same step can be repeated', () => {
  for (const at of successes.keys()) {
    const before = walk(successes.slice(0, at)).at(-1) ?? initialReindex;
    const interrupted = nextState(before, { type: 'interrupted', error: 'away' }, rules);
    expect(interrupted).toEqual({ ...before, error: 'away', interrupted: true });
    const resumed = { ...interrupted, interrupted: false, error: undefined };
    expect(nextState(resumed, successes[at] ?? { type: 'done' }, rules)).toEqual(walk(successes)[at]);
  }
});

test.each([
  [{ deadLetters: 0, differences: 0 }, 'ready', false],
  [{ deadLetters: 2, differences: 0 }, 'ready', false],
  [{ deadLetters: 3, differences: 0 }, 'failed', true],
  [{ deadLetters: 0, differences: 1 }, 'failed', false],
  [{ deadLetters: 3, differences: 1 }, 'failed', false],
])('%j after the comparison: %s', (found, state, refused) => {
  const compared = { documents: 10, rows: 10, samples: ['stale 7'], letterSamples: ['companies 8: no'], ...found };
  const reindex = walk([...successes.slice(0, 4), { type: 'done', comparison: compared }]).at(-1);
  expect(reindex).toMatchObject({ state, refused });
  expect(reindex?.error === undefined).toBe(state === 'ready');
  if (found.differences > 0) expect(reindex?.error).toContain('stale 7');
  else if (refused) expect(reindex?.error).toContain('companies 8: no');
});

const before = {
  settings: { number_of_shards: 1, analysis: { filter: { concepts: { synonyms: ['a => b', 'c => d'] } } } },
  mappings: { dynamic: 'strict', properties: { name: { type: 'text' }, old: { type: 'keyword' } } },
};

test('equal definitions have no changes, whatever the order of their keys', () => {
  const { settings, mappings } = before;
  expect(changedPaths(before, { mappings, settings })).toEqual([]);
});

test('changes are named by field and by group of settings', () => {
  const after = {
    settings: { number_of_shards: 2, analysis: { filter: { concepts: { synonyms: ['c => d', 'a => b'] } } } },
    mappings: { dynamic: 'strict', properties: { name: { type: 'text', index: false }, hash: { type: 'keyword' } } },
  };
  expect(changedPaths(before, after)).toEqual([
    'mappings.properties.hash',
    'mappings.properties.name',
    'mappings.properties.old',
    'settings.analysis.filter',
    'settings.number_of_shards',
  ]);
});
