import { nextState, type Outcome, planned, type Reindex } from '../../indexer/reindex-model.ts';

const rules = { allowedDeadLetters: 2 };
const counts = { rows: 10, deadLetters: 1, bytes: 999 };
const successes: readonly Outcome[] = [
  { type: 'created' },
  { type: 'writable' },
  { type: 'loaded', counts },
  { type: 'counted', documents: 9 },
  { type: 'swapped' },
];

/** The reindex after each outcome. */
function walk(outcomes: readonly Outcome[]): readonly Reindex[] {
  let reindex = planned;
  return outcomes.map((outcome) => {
    reindex = nextState(reindex, outcome, rules);
    return reindex;
  });
}

test('success after success leads to live, with the counts kept', () => {
  const steps = walk(successes);
  expect(steps.map(({ state }) => state)).toEqual(['created', 'loading', 'verifying', 'ready', 'live']);
  expect(steps.at(-1)).toEqual({ state: 'live', counts, documents: 9, error: undefined, refused: false });
});

test('a failure or a stop ends it in every state, with the reason', () => {
  for (const at of successes.keys()) {
    for (const type of ['failed', 'aborted'] as const) {
      const end = walk([...successes.slice(0, at), { type, error: 'why' }]).at(-1);
      expect(end).toMatchObject({ state: type, error: 'why', refused: false });
    }
  }
});

test('nothing follows an end, and no success follows another state than its own', () => {
  const live = walk(successes).at(-1) ?? planned;
  expect(() => nextState(live, { type: 'failed', error: 'late' }, rules)).toThrow('is live');
  for (const [at, state] of [planned, ...walk(successes)].slice(0, -1).entries()) {
    for (const [other, outcome] of successes.entries()) {
      if (other !== at) expect(() => nextState(state, outcome, rules)).toThrow("can't happen");
    }
  }
});

function judged(loaded: { rows: number; deadLetters: number }, documents: number): Reindex | undefined {
  return walk([
    { type: 'created' },
    { type: 'writable' },
    { type: 'loaded', counts: { ...loaded, bytes: 0 } },
    { type: 'counted', documents },
  ]).at(-1);
}

test.each([
  [{ rows: 10, deadLetters: 0 }, 10, 'ready', false],
  [{ rows: 10, deadLetters: 2 }, 8, 'ready', false],
  [{ rows: 0, deadLetters: 0 }, 0, 'ready', false],
  [{ rows: 10, deadLetters: 3 }, 7, 'failed', true],
  [{ rows: 10, deadLetters: 0 }, 9, 'failed', false],
  [{ rows: 10, deadLetters: 0 }, 11, 'failed', false],
  [{ rows: 10, deadLetters: 3 }, 8, 'failed', false],
])('%j and %i documents in the index: %s', (loaded, documents, state, refused) => {
  const reindex = judged(loaded, documents);
  expect(reindex).toMatchObject({ state, refused });
  expect(reindex?.error === undefined).toBe(state === 'ready');
});
