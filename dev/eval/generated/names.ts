import { kinds } from '../../../src/kinds/registry.ts';
import { wordsOf } from '../../../src/search/vocabulary/vocabulary.ts';
import type { Random } from '../../sample/random.ts';
import type { Draft, QueryCollector } from './collector.ts';
import type { Entity } from './entities.ts';
import { misspell } from './misspell.ts';
import { graded, keyOf, type NameIndex } from './name-index.ts';

/** NameIndex as they are, begun, misspelt, shortened and written together. */
export function collectNameQueries(collector: QueryCollector, names: NameIndex): void {
  for (const kind of ['companies', 'people', 'investors', 'events'] as const) {
    const of = names.of(kind);
    const name = kinds[kind].singular.toLowerCase();
    collector.add(`${name}_exact`, of, (entity) => known(names, kind, entity.name));
    collector.add(`${name}_typo_pattern`, of, (entity, random) => wrong(names, entity, 'keys', random));
    collector.add(`${name}_typo_sound`, of, (entity, random) => wrong(names, entity, 'sound', random));
    collector.add(`${name}_spacing`, of, (entity, random) => respaced(names, entity, random));
    if (kind !== 'people') collector.add(`${name}_prefix`, of, (entity, random) => begun(of, entity, random));
    collector.add(
      `${name}_alias`,
      of.flatMap((entity) => entity.aliases.filter((alias) => !alike(alias, entity.name))),
      (alias) => known(names, kind, alias),
    );
  }
  collector.add('company_typo2', names.of('companies'), (entity, random) => wrongTwice(names, entity, random));
  collector.add(
    'company_former_name',
    names.of('companies').flatMap((entity) => entity.former_names),
    (former) => known(names, 'companies', former),
  );
  collector.add('company_brand_short', names.of('companies'), (entity) => shortened(names, entity));
  collector.add('investor_short', names.of('investors'), (entity) => shortened(names, entity));
  collectMixedQueries(collector, names);
}

function collectMixedQueries(collector: QueryCollector, names: NameIndex): void {
  const kindsOf = (entity: Entity): number => new Set(names.called(entity.name).map(({ kind }) => kind)).size;
  collector.add(
    'cross_kind',
    names.all.filter((entity) => kindsOf(entity) > 1),
    ({ name }) => ({ type: 'all', q: name.toLowerCase(), eval: 'graded', relevant: graded(names.called(name), 3) }),
  );
  collector.add(
    'all_known_item',
    names.all.filter((entity) => kindsOf(entity) === 1),
    ({ name }) => known(names, 'all', name),
  );
}

function known(names: NameIndex, type: Draft['type'], name: string): Draft | null {
  if (keyOf(name).length < 2) return null;
  return { type, q: name.toLowerCase(), eval: 'known-item', relevant: names.judgeName(name, type) };
}

function alike(a: string, b: string): boolean {
  return keyOf(a).slice(0, 4) === keyOf(b).slice(0, 4);
}

function wrong(names: NameIndex, { kind, name }: Entity, way: 'keys' | 'sound', random: Random): Draft | null {
  const q = misspell(name, way, random);
  return q === null || names.called(q).length > 0
    ? null
    : { type: kind, q, eval: 'known-item', relevant: names.judgeName(name, kind) };
}

function wrongTwice(names: NameIndex, { name }: Entity, random: Random): Draft | null {
  if (keyOf(name).length < 10) return null;
  const once = misspell(name, 'keys', random);
  const q = once === null ? null : misspell(once, 'keys', random);
  if (q === null || names.called(q).length > 0) return null;
  return { type: 'companies', q, eval: 'known-item', relevant: names.judgeName(name, 'companies') };
}

/** Words written together, or one word parted where another begins. */
function respaced(names: NameIndex, { kind, name }: Entity, random: Random): Draft | null {
  const parted = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const joined = name.replace(/\s+/g, '').toLowerCase();
  const other = [parted, joined].filter((text) => text !== name.toLowerCase());
  if (other.length === 0) return null;
  return { type: kind, q: random.pick(other), eval: 'known-item', relevant: names.judgeName(name, kind) };
}

const fewNames = 8;

/** The first letters of a name, where few names begin so. */
function begun(of: readonly Entity[], { kind, name }: Entity, random: Random): Draft | null {
  const q = Array.from(name.toLowerCase()).slice(0, random.int(3, 6)).join('');
  if (!/^[a-z0-9]+$/.test(q)) return null;
  const first = of.filter((entity) => keyOf(entity.name).startsWith(q));
  const later = of.filter(
    (entity) => !first.includes(entity) && wordsOf(entity.name).some((word) => word.startsWith(q)),
  );
  if (first.length > fewNames) return null;
  return { type: kind, q, eval: 'graded', relevant: [...graded(first, 2), ...graded(later, 1)] };
}

const tails =
  /[,]?\s+(inc\.?|corporation|corp\.?|company|co\.?|group|holdings|plc|ltd\.?|labs|protocol|finance|network|capital|ventures|partners|fund|investments?|digital|management)$/i;

/** A name without what its trade adds to many. */
function shortened(names: NameIndex, { kind, name }: Entity): Draft | null {
  const stem = (text: string): string => text.replace(tails, '').replace(tails, '');
  const q = stem(name).toLowerCase();
  if (q === name.toLowerCase() || keyOf(q).length < 3) return null;
  const same = names.of(kind).filter((entity) => keyOf(stem(entity.name)) === keyOf(q));
  const rest = names.judgeName(q, kind).filter(({ id }) => !same.some((entity) => entity.id === id));
  return {
    type: kind,
    q,
    eval: 'known-item',
    relevant: [...graded(same, 3), ...rest.map((hit) => ({ ...hit, grade: hit.grade === 3 ? 3 : 1 }))],
  };
}
