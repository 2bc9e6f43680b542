import { oneEditAway, suggest } from '../../../src/search/suggest.ts';

describe('a beginning with one slip', () => {
  const pattern = new RegExp(`^${oneEditAway('unisw')}$`);

  test.each(['uniswap', 'unswap', 'unixswap', 'unicwap', 'unsiwap', 'unisswap'])('matches %s', (name) => {
    expect(pattern.test(name)).toBe(true);
  });
  test.each(['iniswap', 'swap', 'unxxwap'])('does not match %s', (name) => {
    expect(pattern.test(name)).toBe(false);
  });

  test('is never longer than its first sixteen letters make it', () => {
    expect(oneEditAway('a'.repeat(500))).toBe(oneEditAway('a'.repeat(16)));
  });

  test.each(['abcdefghijklmnopqrstuvwxyz', '𝕒𝕓𝕔𝕕𝕖𝕗𝕘𝕙𝕚𝕛𝕜𝕝𝕞𝕟𝕠𝕡𝕢𝕣'])(
    'stays within what Elasticsearch takes: %s',
    (letters) => {
      expect(oneEditAway(letters).length).toBeLessThanOrEqual(1_000);
    },
  );
});

describe('suggestions', () => {
  const query = { text: 'Uni!', limit: 5, indices: ['companies'] } as const;
  const reply = (hits: readonly object[]) => ({ ok: true, body: { timed_out: false, hits: { hits } } }) as const;
  const hit = { _index: 'companies-0a1b2c3d-1', _source: { id: 7, name: 'Uniswap', slug: 'uniswap', logo: null } };

  test('come from the beginning as typed where it begins anything', async () => {
    let sent = 0;
    const outcome = await suggest(query, async () => {
      sent += 1;
      return reply([hit]);
    });
    expect(outcome).toEqual({
      ok: true,
      suggestions: [{ entity_type: 'companies', id: 7, name: 'Uniswap', slug: 'uniswap', logo: null }],
    });
    expect(sent).toBe(1);
  });

  test('of nothing typed are none, and nothing is sent', async () => {
    const outcome = await suggest({ ...query, text: ' ' }, () => Promise.reject(new Error('sent')));
    expect(outcome).toEqual({ ok: true, suggestions: [] });
  });

  test('allow for a slip from four letters on, signs not counted', async () => {
    const secondBody = async (text: string) => {
      const bodies: string[] = [];
      await suggest({ ...query, text }, async ({ body }) => {
        bodies.push(JSON.stringify(body));
        return reply([]);
      });
      return bodies[1];
    };
    expect(await secondBody('Uni!')).toContain('match_none');
    expect(await secondBody('Unis!')).toContain('"regexp"');
  });
});
