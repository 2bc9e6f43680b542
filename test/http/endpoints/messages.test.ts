import { countInMemory } from '../../support/api/fake-access.ts';
import { elasticsearchAnswer, json, startApi } from '../../support/api/in-process.ts';

// Messages for people, with none, one and several counted items.

interface Said {
  readonly message: string;
}

/** The number one before a plural, or another number before a singular. */
const wrong =
  /\b1 (?:results|pages|suggestions|calls|companies|people|investors|events)\b|\b(?:0|[2-9]|1\d+) (?:result|page|suggestion|call|company|person|investor|event)\b|\b1 [^.]*\bwere\b/;

function hits(count: number) {
  const source = (id: number) => ({ id, name: `Firm ${id}`, slug: `firm-${id}` });
  return Array.from({ length: count }, (_, at) => ({ kind: 'companies', source: source(at + 1) }));
}

describe.each([0, 1, 2, 11])('With %i', (count) => {
  test.each([
    `/api/v1/search?type=companies`,
    `/api/v1/search?type=companies&limit=1`,
    `/api/v1/search?type=companies&page=9`,
    `/api/v1/suggest?q=firm`,
  ])('%s has a message that uses singular and plural correctly', async (address) => {
    await using api = await startApi({
      search: async ({ body }) => {
        const from = 'from' in body && typeof body.from === 'number' ? body.from : 0;
        return { ok: true, body: elasticsearchAnswer(hits(count).slice(from), count) };
      },
    });
    const { message } = await json<Said>(api.keyed(address));
    expect(message).not.toMatch(wrong);
    expect(message).toMatch(/^[A-Z0-9].*\.$/);
  });

  test('the message of usage uses singular and plural correctly', async () => {
    const quotas = countInMemory();
    await using api = await startApi({ access: { quotas } });
    for (let call = 0; call < count; call += 1) await api.keyed('/api/v1/suggest?q=');
    const { message } = await json<Said>(api.keyed('/api/v1/usage'));
    expect(message).not.toMatch(wrong);
    expect(message).toBe(
      `${count} ${count === 1 ? 'call was' : 'calls were'} used this month, ${count} in this minute.`,
    );
  });
});
