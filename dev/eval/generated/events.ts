import type { Random } from '../../sample/random.ts';
import type { Draft, QueryCollector } from './collector.ts';
import type { Entity } from './entities.ts';
import { graded, keyOf, type NameIndex } from './name-index.ts';

/** Events by series, year, place and type. */
export function collectEventQueries(collector: QueryCollector, names: NameIndex): void {
  const events = names.of('events');
  const inSeries = [...seriesOf(events).values()].filter((editions) => editions.length > 1);
  collector.add('event_series', inSeries, (editions) => ({
    type: 'events',
    q: stem(editions[0]?.name ?? ''),
    eval: 'graded',
    relevant: graded(editions, 2),
  }));
  collector.add(
    'event_series_year',
    inSeries.flatMap((editions) => editions.map((event) => ({ event, editions }))),
    ({ event, editions }) => edition(event, editions),
  );
  const placed = events.filter(({ city }) => city !== '');
  collector.add('event_city', placed, ({ city }, random) => ({
    type: 'events',
    q: `${random.pick(['events in ', ''])}${city.toLowerCase()}`,
    eval: 'graded',
    relevant: graded(
      events.filter((event) => event.city === city),
      2,
    ),
  }));
  collector.add('event_city_year', placed, (event) => dated(events, event, 'city'));
  collector.add('event_country_year', placed, (event) => dated(events, event, 'country'));
  collector.add('event_type_city', placed, (event, random) => ofType(events, event, random));
  collector.add('event_online_topic', [...new Set(events.flatMap(({ event_types: types }) => types))], (type) => ({
    type: 'events',
    q: `online ${type.toLowerCase()}`,
    eval: 'condensed',
    universe: 'events_typed',
    relevant: graded(
      events.filter((event) => event.is_online === true && event.event_types.includes(type)),
      3,
    ),
  }));
}

/** A name without its year and the number of its edition. */
function stem(name: string): string {
  return name
    .toLowerCase()
    .replace(/\b(19|20)\d\d\b/g, '')
    .replace(/\s+(\d{1,2}|[ivx]{1,4})$/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function seriesOf(events: readonly Entity[]): Map<string, Entity[]> {
  const series = new Map<string, Entity[]>();
  for (const event of events) {
    const key = keyOf(stem(event.name));
    if (key.length > 2) series.set(key, [...(series.get(key) ?? []), event]);
  }
  return series;
}

function edition({ name, year }: Entity, editions: readonly Entity[]): Draft | null {
  if (year === null || year === undefined) return null;
  const wanted = editions.filter((event) => event.year === year);
  const others = editions.filter((event) => event.year !== year);
  return {
    type: 'events',
    q: `${stem(name)} ${year}`,
    eval: 'known-item',
    relevant: [...graded(wanted, 3), ...graded(others, 1)],
  };
}

function dated(events: readonly Entity[], one: Entity, by: 'city' | 'country'): Draft | null {
  if (one[by] === '' || one.year === null || one.year === undefined) return null;
  const there = events.filter((event) => event[by] === one[by]);
  const then = there.filter((event) => event.year === one.year);
  const relevant = [
    ...graded(then, 3),
    ...graded(
      there.filter((event) => !then.includes(event)),
      1,
    ),
  ];
  return { type: 'events', q: `${one[by].toLowerCase()} ${one.year}`, eval: 'graded', relevant };
}

function ofType(events: readonly Entity[], { city, event_types: types }: Entity, random: Random): Draft | null {
  if (types.length === 0) return null;
  const type = random.pick(types);
  const there = events.filter((event) => event.city === city && event.event_types.length > 0);
  const both = there.filter((event) => event.event_types.includes(type));
  const relevant = [
    ...graded(both, 3),
    ...graded(
      there.filter((event) => !both.includes(event)),
      1,
    ),
  ];
  return {
    type: 'events',
    q: `${type.toLowerCase()} in ${city.toLowerCase()}`,
    eval: 'condensed',
    universe: 'events_typed',
    relevant,
  };
}
