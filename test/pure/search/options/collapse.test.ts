import fc from 'fast-check';
import { kindNames } from '../../../../src/kinds/kind.ts';
import { collapseSeries, seriesOf } from '../../../../src/search/options/series.ts';

/** A line whose document has more than its item shows. */
function event(id: number, name: string, start_date: string | null = null, year: number | null = null) {
  const told = { id, name, slug: `event-${id}`, year, start_date };
  return { kind: 'events' as const, item: { entity_type: 'events', id }, source: { ...told, venue: 'hidden' } };
}

const company = (id: number, name: string) => ({
  kind: 'companies' as const,
  item: { entity_type: 'companies', id },
  source: { id, name },
});

test('the first hit of a series keeps its place, and lists the others as editions, the newest first', () => {
  const lines = [
    event(1, 'Gridcon 2024', '2024-05-01', 2024),
    event(2, 'Quorum Days'),
    event(3, 'Gridcon 5'),
    event(4, 'GRIDCON', '2022-05-01', 2022),
    company(5, 'Gridcon'),
    event(6, 'Gridcon 2025', null, 2025),
    event(7, 'Gridcon', '2025-06-01', 2025),
  ];
  expect(collapseSeries(lines)).toEqual([
    {
      entity_type: 'events',
      id: 1,
      editions: [
        { id: 7, name: 'Gridcon', slug: 'event-7', year: 2025, start_date: '2025-06-01' },
        { id: 6, name: 'Gridcon 2025', slug: 'event-6', year: 2025, start_date: null },
        { id: 4, name: 'GRIDCON', slug: 'event-4', year: 2022, start_date: '2022-05-01' },
        { id: 3, name: 'Gridcon 5', slug: 'event-3', year: null, start_date: null },
      ],
    },
    { entity_type: 'events', id: 2, editions: [] },
    { entity_type: 'companies', id: 5 },
  ]);
});

test('each hit is returned once and in order, and each series is one result', () => {
  const names = fc.constantFrom('Gridcon', 'Gridcon 2', 'Gridcon 2024', 'Gridcon Oslo', 'Quorum', 'QUORUM #4', '2024');
  const found = fc.array(fc.record({ kind: fc.constantFrom(...kindNames), name: names }), { maxLength: 100 });
  fc.assert(
    fc.property(found, (hits) => {
      const lines = hits.map(({ kind, name }, at) => ({
        kind,
        item: { at },
        source: { id: at + 1, name, slug: `s-${at}`, year: null, start_date: null },
      }));
      const items = collapseSeries(lines);
      const editions = items.flatMap((item) => ('editions' in item ? item.editions : []));
      const all = [...items.map(({ at }) => at), ...editions.map(({ id }) => id - 1)];
      expect(all.sort((a, b) => a - b)).toEqual(hits.map((_hit, at) => at));
      const shown = items.map(({ at }) => at);
      expect(shown).toEqual(shown.toSorted((a, b) => a - b));
      const series = shown.flatMap((at) => (hits[at]?.kind === 'events' ? [seriesOf(hits[at].name)] : []));
      expect(new Set(series).size).toBe(series.length);
      for (const item of items) {
        expect('editions' in item).toBe(hits[item.at]?.kind === 'events');
        for (const { id, name } of 'editions' in item ? item.editions : []) {
          expect(id - 1).toBeGreaterThan(item.at);
          expect(seriesOf(name)).toBe(seriesOf(hits[item.at]?.name ?? ''));
        }
      }
    }),
  );
});
