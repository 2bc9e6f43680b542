import { phrasesOf } from '../../../src/search/meaning/term-phrases.ts';
import {
  distinctVector,
  nearestTerms,
  noTermVectors,
  phrasesMax,
  type TermPhrase,
  termVectors,
} from '../../../src/search/meaning/term-vectors.ts';
import { type Concept, emptyVocabulary, vocabularyOf } from '../../../src/search/vocabulary/vocabulary.ts';

const concept = (term: string, phrase: string): TermPhrase => ({ term, phrase });
const alone = (term: string): TermPhrase => ({ term, phrase: term });
const hexOf = (...numbers: readonly number[]): string => Buffer.from(Int8Array.from(numbers)).toString('hex');

/** Vectors without a common part, so that each is compared unchanged. */
function balanced(phrases: readonly (readonly [TermPhrase, readonly number[]])[]) {
  const opposite = phrases.map(([, vector]) => Float32Array.from(vector, (number) => -number));
  return termVectors(
    [...phrases.map(([phrase]) => phrase), ...phrases.map((_, at) => alone(`opposite-${at}`))],
    [...phrases.map(([, vector]) => Float32Array.from(vector)), ...opposite],
    [],
    opposite.slice(0, 1).map((vector) => new Float32Array(vector.length)),
  );
}

describe('The meaning of a text', () => {
  test('is the concept whose phrases are near on the whole, not one with a single phrase near by chance', () => {
    const terms = balanced([
      [concept('chance', 'one that is nearest'), [100, 0, 0]],
      [concept('chance', 'another one, far away'), [-100, 10, 0]],
      [concept('meant', 'one that is near'), [90, 30, 0]],
      [concept('meant', 'another one'), [90, -30, 0]],
    ]);
    const near = nearestTerms(terms, hexOf(127, 0, 0))?.concepts.map(({ term }) => term);
    expect(near?.filter((term) => !term.startsWith('opposite'))).toEqual(['meant', 'chance']);
  });

  test('is at most three concepts, the nearest first and with the greatest weight', () => {
    const angle = (at: number): readonly number[] => [Math.cos(at / 4), Math.sin(at / 4)];
    const terms = balanced(Array.from({ length: 8 }, (_, at) => [alone(`c${at}`), angle(at)] as const));
    const { concepts } = nearestTerms(terms, hexOf(127, 0)) ?? { concepts: [] };
    expect(concepts.map(({ term }) => term)).toEqual(['c0', 'c1', 'c2']);
    const weights = concepts.map(({ weight }) => weight);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect([weights.at(-1), Math.max(...weights) <= 1.5]).toEqual([0.4, true]);
  });

  test('is distinguished by the uncommon parts of phrases and texts', () => {
    // All phrases point far in one direction, all texts in another; what differs is small.
    const phrases = [alone('left'), alone('right')];
    const vectors = [Float32Array.of(100, 0, -5), Float32Array.of(100, 0, 5)];
    const texts = [Float32Array.of(0, 100, 40), Float32Array.of(0, 100, -40), Float32Array.of(0, 100, 60)];
    const nearTo = (queries: readonly Float32Array[]) =>
      nearestTerms(termVectors(phrases, vectors, queries, [Float32Array.of(-100, 0, 0)]), hexOf(0, 100, 0))?.concepts;
    expect(nearTo(texts)?.[0]?.term).toBe('left');
    // Without the common part of texts it cannot be decided: it is at a right angle to both.
    expect(nearTo([])?.map(({ weight }) => weight)).toEqual([0.4, 0.4]);
  });

  test('does not depend on the length of the vectors', () => {
    const of = (factor: number) =>
      termVectors(
        [alone('a'), alone('b'), alone('c')],
        [Float32Array.of(factor, 0), Float32Array.of(0, 1), Float32Array.of(-1, -1)],
        [],
        [Float32Array.of(0, 0)],
      );
    expect(nearestTerms(of(1), hexOf(90, 20))?.concepts.length).toBe(3);
    expect(nearestTerms(of(1), hexOf(90, 20))).toEqual(nearestTerms(of(250), hexOf(90, 20)));
  });

  test('is empty without vectors of phrases or of off-topic texts, and for zero vectors', () => {
    expect(nearestTerms(noTermVectors, hexOf(1, 2, 3))).toBeNull();
    expect(nearestTerms(termVectors([], [], [], [Float32Array.of(0, 1)]), hexOf(1, 0))).toBeNull();
    expect(nearestTerms(termVectors([alone('a')], [Float32Array.of(1, 0)], []), hexOf(1, 0))).toBeNull();
    expect(
      nearestTerms(termVectors([alone('a')], [Float32Array.of(0, 0)], [], [Float32Array.of(0, 1)]), hexOf(0, 0)),
    ).toBeNull();
  });
});

test('The part common to all phrases counts half in the vector of an entity', () => {
  expect(distinctVector(hexOf(100, 0), { ofPhrases: Float32Array.of(1, 0.4) })).toBe(hexOf(127, -51));
});

test('Vectors take at most 32 MiB with any model, and the last phrases are left out', () => {
  expect([384, 1_536, 4_096].every((dimension) => phrasesMax(dimension) * dimension <= 33_554_432)).toBe(true);
  const dimension = 4_096;
  const numbers = new Int8Array(dimension).fill(1);
  const phrases = Array.from({ length: phrasesMax(dimension) + 2 }, (_, at) => concept(`c${at % 9}`, `${at}`));
  const { terms } = termVectors(
    phrases,
    phrases.map(() => numbers),
    [],
  );
  const kept = terms.flatMap((term) => term.phrases);
  expect(kept.length).toBe(phrasesMax(dimension));
  expect(kept.every(({ vector }) => vector === numbers)).toBe(true);
});

test('The nearest of many concepts are found without comparing all phrases', () => {
  const angle = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const phrases = Array.from({ length: 180 }, (_, at) => [
    [concept(`c${at}`, `a${at}`), angle(2 * at)] as const,
    [concept(`c${at}`, `b${at}`), angle(2 * at + 1)] as const,
  ]).flat();
  // All around, so that nothing is common to all.
  const terms = termVectors(
    phrases.map(([phrase]) => phrase),
    phrases.map(([, vector]) => Float32Array.from(vector)),
    [],
    [new Float32Array(2)],
  );
  const found = nearestTerms(terms, hexOf(...angle(91).map((number) => Math.round(127 * number))));
  expect(found?.concepts.map(({ term }) => term).toSorted()).toEqual(['c44', 'c45', 'c46']);
  expect(found?.concepts[0]?.term).toBe('c45');
});

test('A text is off topic if it is much nearer to texts from other fields than to the terms', () => {
  const vectors = [Float32Array.of(100, 0, 0), Float32Array.of(0, 100, 0)];
  const others = [Float32Array.of(50, 0, 100), Float32Array.of(50, 0, 90), Float32Array.of(0, 50, 100)];
  const terms = termVectors([alone('left'), alone('right')], vectors, [], others);
  const isOffTopic = (...numbers: readonly number[]) => nearestTerms(terms, hexOf(...numbers)) === null;
  expect([isOffTopic(100, 20, 30), isOffTopic(40, 0, 100), isOffTopic(0, 0, 100)]).toEqual([false, true, true]);
  // Documents are longer than phrases, and therefore further away.
  expect(nearestTerms(terms, hexOf(100, 0, 0))?.similarityMin).toBeCloseTo(50 / Math.hypot(50, 90) - 0.15, 2);
});

test('The part common to typical searches counts half in the vector of a text, and in the floor for documents', () => {
  const [usual, other] = [Float32Array.of(100, 0), Float32Array.of(60, 80)];
  const terms = termVectors([alone('usual')], [usual], [usual], [other, other]);
  const found = nearestTerms(terms, hexOf(80, 60));
  // (0.8, 0.6) and (0.6, 0.8) without (0.5, 0).
  expect(found?.vector).toBe(hexOf(64, 127));
  expect(found?.similarityMin).toBeCloseTo(0.1 / Math.hypot(0.1, 0.8) - 0.15, 2);
});

const described = (at: number): Concept => ({
  name: `concept ${at}`,
  token: `c${at}`,
  phrases: [`concept ${at}`],
  queryPhrases: [`asked ${at}`],
  descriptions: [`need ${at}`, `work ${at}`],
  broader: null,
});

test('Phrases are those of the vocabulary and its descriptions', () => {
  expect(phrasesOf(vocabularyOf([described(1)])).list).toEqual([
    concept('c1', 'concept 1'),
    concept('c1', 'asked 1'),
    concept('c1', 'need 1'),
    concept('c1', 'work 1'),
  ]);
});

test('Sample queries are at most 256 descriptions, spread over the vocabulary', () => {
  expect(phrasesOf(emptyVocabulary).queries).toEqual([]);
  expect(phrasesOf(vocabularyOf([described(1)])).queries).toEqual(['need 1', 'work 1']);
  const many = phrasesOf(vocabularyOf(Array.from({ length: 400 }, (_, at) => described(at)))).queries;
  expect([many.length, many[0], many.at(-1)]).toEqual([256, 'need 0', expect.stringMatching(/^(need|work) 3\d\d$/)]);
});
