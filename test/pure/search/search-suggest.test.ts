import { oneEditAway, suggest } from '../../../src/search/suggest.ts';

test.each(['abcdefghijklmnopqrstuvwxyz', '𝕒𝕓𝕔𝕕𝕖𝕗𝕘𝕙𝕚𝕛𝕜𝕝𝕞𝕟𝕠𝕡𝕢𝕣'])(
  "a prefix with one typo stays within Elasticsearch's limit: %s",
  (letters) => {
    expect(oneEditAway(letters).length).toBeLessThanOrEqual(1_000);
  },
);

test('suggestions allow a typo from four letters on, not counting punctuation', async () => {
  const secondBody = async (text: string) => {
    const bodies: string[] = [];
    await suggest({ text, limit: 5, indices: ['companies'] }, async ({ body }) => {
      bodies.push(JSON.stringify(body));
      return { ok: true, body: { timed_out: false, hits: { hits: [] } } };
    });
    return bodies[1];
  };
  expect(await secondBody('Uni!')).toBeUndefined();
  expect(await secondBody('Unis!')).toContain('"regexp"');
});
