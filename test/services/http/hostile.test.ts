import fc from 'fast-check';
import { type Api, json, type SearchBody } from '../../support/api/in-process.ts';
import { forFile } from '../../support/for-file.ts';
import { setSampleStage } from '../../support/stages/features.ts';

// Texts that some layer on the way to an answer could interpret, or that are unusual: on the real engines, each is
// answered 200 or a clear 400.

const runs = 20;

const lucene = String.raw`AND NOT + - && || ( ) [ { } ^9 " ~2 * ? \ /.*/ x:*`.split(' ');
const sql = ["' or 1=1 --", '"; drop table companies; --', '%', '_', '$$', 'pg_sleep(9)', '/*', '\\'];
const jsonTexts = ['{"match_all":{}}', '{"script":{"source":"1"}}', '[[[', '}}}', '__proto__', '\\u0000', 'null'];
const scripts = ['مرحبا', 'שלום', '\u202e', '\u2066', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏿', 'ﷺ', '㍿', 'e\u0301', '\u0344'];
const bytes = ['%ED%A0%80', '%ED%BF%BF', '%00', '%FF', '%C0%80', '%F8%88%80%80%80', 'a', '%20'];

const joined = (words: readonly string[], separator: string) =>
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 30 }).map((all) => encode(all.join(separator)));
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const texts = {
  'every plane of Unicode': fc.string({ unit: 'binary', maxLength: 256 }).map(encode),
  'control characters': fc
    .array(fc.integer({ min: 0, max: 31 }), { maxLength: 60 })
    .map((codes) => encode(String.fromCharCode(...codes))),
  "Lucene's syntax": joined(lucene, ' '),
  "Lucene's syntax without blanks": joined(lucene, ''),
  "SQL's syntax": joined(sql, ' '),
  "JSON's syntax": joined(jsonTexts, ''),
  'scripts from right to left, emoji, ligatures': joined(scripts, ''),
  'bytes that are no UTF-8': fc
    .array(fc.constantFrom(...bytes), { minLength: 1, maxLength: 40 })
    .map((all) => all.join('')),
  'long texts': fc
    .tuple(fc.constantFrom('a', 'ab ', '中', '👍', '\u0301'), fc.integer({ min: 1, max: 260 }))
    .map(([piece, times]) => encode(piece.repeat(times))),
} as const;

const stage = await forFile(setSampleStage());

const addresses = [
  (text: string) => `/api/v1/search?type=all&query=${text}`,
  (text: string) => `/api/v1/search?type=companies&query=${text}&highlight=true&facets=country`,
  (text: string) => `/api/v1/search?type=companies&tag=${text}&city=${text}`,
  (text: string) => `/api/v1/search?type=all&cursor=${text}`,
  (text: string) => `/api/v1/suggest?q=${text}`,
] as const;

async function ask(api: Api, path: string) {
  const response = await api.keyed(path);
  const body = await json<Readonly<Record<string, unknown>>>(response);
  return { status: response.status, body };
}

test.each(Object.entries(texts))('%s: 200 or a 400 that names the problem', async (_title, text) => {
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom(...addresses), async (given, address) => {
      const { status, body } = await ask(stage.api, address(given));
      if (status === 200) return;
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: expect.stringMatching(/^Invalid parameter /), code: expect.any(String) });
    }),
    { numRuns: runs, endOnFailure: true },
  );
});

test.each([
  ['one long word', 'a'.repeat(256)],
  ['one long word of letters beyond the first plane', '𝕳'.repeat(256)],
  ['long words', `${'abcdefghij'.repeat(7)} `.repeat(3)],
])('%s, requested by many at once, takes nothing from other callers', async (_title, text) => {
  const path = `/api/v1/search?type=all&query=${encode(text)}`;
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await stage.api.keyed(path)).status));
  expect(statuses).toEqual(statuses.map(() => 200));
});

test.each(['%00', '%01', '%1B', '%7F', '%C2%85', '%EF%BF%BF', '%F0%9F%BF%BE', '%09'])(
  '%s in a text counts as a space, in keyed and paid searches',
  async (noText) => {
    const { api } = stage;
    const found = async (path: string) => (await json<SearchBody>(api.keyed(path))).data;
    const { results } = await found('/api/v1/search?type=companies&query=plover%20spire');
    expect(results.length).toBeGreaterThan(0);
    expect((await found(`/api/v1/search?type=companies&query=plover${noText}spire`)).results).toEqual(results);
    expect((await api.keyed(`/api/v1/suggest?q=plover${noText}spi`)).status).toBe(200);
    expect((await api.keyed(`/api/v1/search?type=companies&city=${noText}`)).status).toBe(noText === '%09' ? 400 : 200);
  },
);
