import { generateSample, SAMPLE_DEFAULTS } from '../../../dev/sample/generate.ts';
import { SAMPLE_KINDS } from '../../../dev/sample/rows.ts';

const sample = generateSample(SAMPLE_DEFAULTS);
const rows = {
  companies: [...sample.companies],
  people: [...sample.people],
  investors: [...sample.investors],
  events: [...sample.events],
};

const NEVER_EMPTY = new Set(['id', 'name', 'slug', '_src']);

function isEmpty(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

test.each(SAMPLE_KINDS)('every field of %s is filled in some rows, and empty in some where it may be', (kind) => {
  const fields = Object.keys(rows[kind][0] ?? {});
  const states = fields.map((field) => {
    const empty = rows[kind].filter((row) => isEmpty(Reflect.get(row, field))).length;
    return { field, filled: empty < rows[kind].length, empty: empty > 0 };
  });
  expect(states).toEqual(fields.map((field) => ({ field, filled: true, empty: !NEVER_EMPTY.has(field) })));
});

test('names come in the shapes that search must cope with', () => {
  const names = rows.companies.map((company) => company.name);
  const people = rows.people.map((person) => person.name);
  const shapes = {
    'one word': names.some((name) => /^[A-Z][a-z]+$/.test(name)),
    'two words': names.some((name) => /^[A-Z][a-z]+ [A-Z][a-z]+$/.test(name)),
    'camel case': names.some((name) => /^[A-Z][a-z]+[A-Z][a-z]+$/.test(name)),
    digits: names.some((name) => /\d/.test(name)),
    'letters with marks': names.some((name) => /\p{M}/u.test(name.normalize('NFD'))),
    'the same words joined and spaced': names.some(
      (name) => /\S \S/.test(name) && names.includes(name.replaceAll(' ', '')),
    ),
    'people with particles': people.some((name) => /(van der|de la) /.test(name)),
    'two people of one name': new Set(people).size < people.length,
    'a company and an investor of one name': rows.investors.some((investor) => names.includes(investor.name)),
    'a company and its venture arm': rows.investors.some((one) => names.includes(one.name.replace(/ Ventures$/, ''))),
    'a company and an event of one name': rows.events.some((event) => names.includes(event.name)),
    'a person and an investor of one name': rows.investors.some((investor) => people.includes(investor.name)),
  };
  expect(Object.entries(shapes).filter(([, found]) => !found)).toEqual([]);
});
