import type { QueryCollector } from './collector.ts';
import { keyOf, type NameIndex } from './name-index.ts';

/** NameIndex that nothing has, of words that occur apart: a first name and another's surname, halves of two companies. */
export function collectAbsentQueries(collector: QueryCollector, names: NameIndex): void {
  const texts = names.all.map((entity) => [...entity.names, entity.words].join(' ').toLowerCase());
  for (const kind of ['people', 'companies'] as const) {
    const halves = names.of(kind).flatMap(({ name }) => {
      const words = name.toLowerCase().split(' ');
      return words.length === 2 && words.every((word) => /^[a-z]{3,}$/.test(word)) ? [words] : [];
    });
    collector.add(kind === 'people' ? 'absent_person' : 'absent_company', halves, ([first = ''], random) => {
      const q = `${first} ${random.pick(halves)[1] ?? ''}`;
      const mentioned = texts.some((text) => text.includes(q));
      return mentioned || names.near(keyOf(q), 2) ? null : { type: 'all', q, eval: 'absent', relevant: [] };
    });
  }
}
