import type { SearchFailure, SearchReply } from '../../../../src/search/ports.ts';
import { createKnowledge, emptyKnowledge } from '../../../../src/search/questions/knowledge.ts';
import { createKnowledgeSource, loadKnowledge } from '../../../../src/search/questions/knowledge-source.ts';
import { emptyVocabulary, vocabularyOf } from '../../../../src/search/vocabulary/vocabulary.ts';

const failure: SearchFailure = { ok: false, reason: 'unreachable', cause: new Error('down') };
const none: ReadonlySet<string> = new Set();

function knowing(city: string) {
  const knowledge = createKnowledge({ countries: none, cities: new Set([city]), topics: none, ecosystems: none });
  return { ok: true, knowledge } as const;
}

/** A source whose loads are answered by hand. */
function source() {
  let elapsedMs = 0;
  const waiting: ((loaded: ReturnType<typeof knowing> | SearchFailure) => void)[] = [];
  const failures: SearchFailure[] = [];
  const load = () => new Promise<ReturnType<typeof knowing> | SearchFailure>((resolve) => waiting.push(resolve));
  const { latest } = createKnowledgeSource(load, { elapsed: () => elapsedMs }, (each) => failures.push(each));
  return {
    latest,
    failures,
    loads: () => waiting.length,
    async answer(loaded: ReturnType<typeof knowing> | SearchFailure) {
      waiting.at(-1)?.(loaded);
      await new Promise(setImmediate);
    },
    pass: (ms: number) => {
      elapsedMs += ms;
    },
  };
}

test('A chain has the values that name it alone or among others, and signs name none', () => {
  const many = Array.from({ length: 20 }, (_, at) => `c${at}`);
  const others = many.map((one) => `solana-${one}`);
  const ecosystems = new Set([
    'solana',
    'ethereum',
    'bnb-chain',
    'ethereum-solana',
    'polygon-zkevm',
    '-',
    ...many,
    ...others,
  ]);
  const { chainsOf } = createKnowledge({ countries: none, cities: none, topics: none, ecosystems });
  expect(chainsOf(['ethereum'])).toEqual(['ethereum', 'ethereum-solana']);
  expect([chainsOf(['bnb']), chainsOf(['bnb', 'chain'])]).toEqual([['bnb-chain'], ['bnb-chain']]);
  expect(chainsOf(['solana'])).toHaveLength(8);
  expect([[''], ['polygon'], ['ethereum', 'solana']].map(chainsOf)).toEqual([[], [], []]);
});

describe('knowledge', () => {
  test('is empty until it is loaded, and no search waits for it', async () => {
    const { latest, loads, answer } = source();
    expect(loads()).toBe(0);
    expect([latest(), latest()]).toEqual([emptyKnowledge, emptyKnowledge]);
    expect(loads()).toBe(1);
    const berlin = knowing('Berlin');
    await answer(berlin);
    expect(latest()).toBe(berlin.knowledge);
    expect(loads()).toBe(1);
  });

  test('is reloaded after five minutes, and unchanged until then', async () => {
    const { latest, loads, answer, pass } = source();
    latest();
    const berlin = knowing('Berlin');
    await answer(berlin);
    pass(299_999);
    latest();
    expect(loads()).toBe(1);
    pass(1);
    expect(latest()).toBe(berlin.knowledge);
    expect(loads()).toBe(2);
    const lisbon = knowing('Lisbon');
    await answer(lisbon);
    expect(latest()).toBe(lisbon.knowledge);
  });

  test('is unchanged if loading fails, which is logged once and retried after seconds', async () => {
    const { latest, loads, answer, pass, failures } = source();
    latest();
    const berlin = knowing('Berlin');
    await answer(berlin);
    pass(300_000);
    latest();
    await answer(failure);
    pass(5_000);
    expect(latest()).toBe(berlin.knowledge);
    await answer(failure);
    expect([loads(), failures]).toEqual([3, [failure]]);
    pass(5_000);
    latest();
    await answer(berlin);
    pass(300_000);
    latest();
    await answer(failure);
    expect(failures).toHaveLength(2);
  });
});

describe('loading knowledge from the indices', () => {
  const load = (reply: SearchReply) =>
    loadKnowledge({ indexPrefix: '', vocabulary: emptyVocabulary }, async () => reply);

  test('treats what a response omits as empty', async () => {
    const loaded = await load({ ok: true, body: { timed_out: false } });
    expect(loaded).toMatchObject({ ok: true, knowledge: { labels: [] } });
  });

  test('fails if a response is incomplete', async () => {
    expect(await load({ ok: true, body: { timed_out: true } })).toMatchObject({ ok: false, reason: 'invalid' });
    expect(await load(failure)).toBe(failure);
  });

  test('treats phrases of the vocabulary as topics', async () => {
    const concept = {
      name: 'dex',
      token: 'dex',
      broader: null,
      phrases: ['dex', 'swap venue'],
      queryPhrases: [],
      descriptions: [],
    };
    const loaded = await loadKnowledge({ indexPrefix: '', vocabulary: vocabularyOf([concept]) }, async () => ({
      ok: true,
      body: { timed_out: false },
    }));
    if (!loaded.ok) throw new Error('an empty answer is a complete one');
    expect([['swap', 'venue'], ['dex'], ['uniswap']].map(loaded.knowledge.isTopic)).toEqual([true, true, false]);
  });
});
