import { z } from 'zod';
import { generateSample, SAMPLE_DEFAULTS } from '../../../dev/sample/generate.ts';
import { SAMPLE_KINDS, type SampleKind } from '../../../dev/sample/rows.ts';

const sample = generateSample(SAMPLE_DEFAULTS);
const rows = {
  companies: [...sample.companies],
  people: [...sample.people],
  investors: [...sample.investors],
  events: [...sample.events],
};

const text = z.string().trim().min(1);
const texts = z.array(text);
const address = z.url().regex(/^https:\/\/[a-z0-9-]+\.example(\/\S*)?$/);
const date = z.iso.date();
const count = z.int().positive();
const year = z.int().min(2013).max(2026);
const common = {
  name: text,
  slug: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  logo: address.nullable(),
  overview: text.nullable(),
  location_json: z.strictObject({ city: text.nullable(), country: text }).nullable(),
  links: z.record(text, address),
  _src: z
    .array(
      z.strictObject({
        source: z.literal('fictional sample'),
        license: z.literal('CC0-1.0'),
        ref: z.string().startsWith('seed 1'),
      }),
    )
    .min(1),
};
const forms: Record<SampleKind, z.ZodType> = {
  companies: z.strictObject({
    ...common,
    id: z.int().min(1_000_001).max(2_000_000),
    tagline: text.nullable(),
    total_employees: count.nullable(),
    employee_count: count.nullable(),
    year_founded: year.nullable(),
    founded_date: date.nullable(),
    website: address.nullable(),
    tags: texts,
    company_stage: z.enum(['idea', 'pre-seed', 'seed', 'early', 'growth', 'mature', 'public']).nullable(),
    funding_stage: text.nullable(),
    total_funding_usd: z
      .string()
      .regex(/^[1-9]\d*\.\d{2}$/)
      .nullable(),
    is_verified: z.boolean().nullable(),
    aliases: texts,
    former_names: texts,
    tickers: z.array(z.string().regex(/^[A-Z]{3,4}$/)),
    ecosystems: texts,
    investors: texts,
  }),
  people: z.strictObject({
    ...common,
    id: z.int().min(2_000_001).max(3_000_000),
    headline: text.nullable(),
    roles: z.array(z.strictObject({ title: text, organisation: text, detail: text.nullable() })),
    companies: texts,
    events: texts,
    tags: texts,
    aliases: texts,
    proposals: z.array(z.string().regex(/^XIP-\d+$/)),
  }),
  investors: z.strictObject({
    ...common,
    id: z.int().min(3_000_001).max(4_000_000),
    website: address.nullable(),
    investor_type: text.nullable(),
    investment_focus: texts,
    investment_stages: texts,
    ticket_size: text.nullable(),
    portfolio_companies: z.array(z.strictObject({ name: text, slug: text.nullable() })),
    aliases: texts,
  }),
  events: z.strictObject({
    ...common,
    id: z.int().min(4_000_001).max(5_000_000),
    website: address.nullable(),
    start_date: date.nullable(),
    end_date: date.nullable(),
    year: year.nullable(),
    is_online: z.boolean().nullable(),
    venue: text.nullable(),
    organizer: text.nullable(),
    event_types: texts,
    tags: texts,
    ecosystems: texts,
    capacity: count.nullable(),
  }),
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
  test('every row has every key and only values of the right form', () => {
    for (const row of rows[kind]) expect(forms[kind].safeParse(row).error?.issues).toBeUndefined();
  });

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
