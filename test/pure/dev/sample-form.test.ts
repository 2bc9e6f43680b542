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

test('the default sample has more than 2,000 rows over the four kinds', () => {
  expect(SAMPLE_KINDS.map((kind) => rows[kind].length)).toEqual([1000, 600, 200, 300]);
});

describe.each(SAMPLE_KINDS)('%s', (kind) => {
  test('every field is filled in some rows, and empty in some where it may be', () => {
    const [first] = rows[kind];
    const fields = Object.keys(first ?? {});
    const states = fields.map((field) => {
      const empty = rows[kind].filter((row) => isEmpty(Reflect.get(row, field))).length;
      return { field, filled: empty < rows[kind].length, empty: empty > 0 };
    });
    expect(states).toEqual(fields.map((field) => ({ field, filled: true, empty: !NEVER_EMPTY.has(field) })));
  });

  test('ids and slugs are unique', () => {
    expect(new Set(rows[kind].map((row) => row.id)).size).toBe(rows[kind].length);
    expect(new Set(rows[kind].map((row) => row.slug)).size).toBe(rows[kind].length);
  });
});

test('both numbers of employees of a company are equal, and its year is the year of its date', () => {
  for (const company of rows.companies) {
    expect(company.total_employees).toBe(company.employee_count);
    if (company.founded_date === null || company.year_founded === null) continue;
    expect(Number(company.founded_date.slice(0, 4))).toBe(company.year_founded);
  }
});

test('an event starts in its year, never ends before it starts, and is online or somewhere', () => {
  for (const event of rows.events) {
    if (event.start_date !== null) expect(Number(event.start_date.slice(0, 4))).toBe(event.year);
    if (event.end_date !== null) expect(event.end_date >= (event.start_date ?? '9')).toBe(true);
    if (event.is_online === true) expect([event.location_json, event.venue]).toEqual([null, null]);
  }
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
