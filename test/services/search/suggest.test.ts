import { forFile } from '../../support/for-file.ts';
import type { Item } from '../../support/stages/features.ts';
import { setSampleStage } from '../../support/stages/features.ts';

const stage = await forFile(setSampleStage());

async function suggested(query: string): Promise<readonly Item[]> {
  const response = await stage.api.keyed(`/api/v1/suggest?${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly data: { readonly suggestions: readonly Item[] } }).data.suggestions;
}

describe('Suggestions on the sample', () => {
  test('begin with what is typed, whatever its case and accents', async () => {
    for (const typed of ['ti', 'TID', 'tíd']) {
      const names = (await suggested(`q=${encodeURIComponent(typed)}`)).map(({ name }) => String(name).toLowerCase());
      expect(names.length).toBeGreaterThan(0);
      expect(names[0]).toContain(typed.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase());
    }
  });

  test('mix the kinds, and keep to one where one is wanted', async () => {
    const kinds = new Set((await suggested('q=a&limit=20')).map(({ entity_type }) => entity_type));
    expect(kinds.size).toBeGreaterThan(1);
    const people = await suggested('q=a&limit=20&type=people');
    expect(new Set(people.map(({ entity_type }) => entity_type))).toEqual(new Set(['people']));
  });

  test('find a company with one letter missing, wrong, doubled or swapped', async () => {
    const found = await stage.find('type=companies&limit=40');
    const names = found.results.map(({ name }) => String(name)).filter((name) => /^[a-z ]{8,}$/i.test(name));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names.slice(0, 10)) {
      const letters = name.replaceAll(' ', '').slice(0, 8);
      const typos = [
        letters.slice(0, 3) + letters.slice(4),
        `${letters.slice(0, 3)}q${letters.slice(4)}`,
        letters.slice(0, 4) + letters.slice(3),
        letters.slice(0, 3) + letters.charAt(4) + letters.charAt(3) + letters.slice(5),
      ];
      for (const typo of typos) {
        const suggestions = await suggested(`q=${encodeURIComponent(typo)}&limit=20`);
        expect([typo, suggestions.length > 0]).toEqual([typo, true]);
      }
    }
  });

  test('are there within single-digit milliseconds', async () => {
    const found = await stage.find('type=all&limit=100');
    const typed = found.results.map(({ name }) => String(name).slice(0, 4));
    for (const text of typed) await suggested(`q=${encodeURIComponent(text)}`);
    const tookMs: number[] = [];
    for (const text of typed) {
      const startedMs = performance.now();
      await suggested(`q=${encodeURIComponent(text)}`);
      tookMs.push(performance.now() - startedMs);
    }
    const median = tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length / 2)] ?? Number.NaN;
    process.stderr.write(
      `suggest: median ${median.toFixed(1)} ms, p95 ${tookMs[95]?.toFixed(1)} ms, whole HTTP call\n`,
    );
  });
});
