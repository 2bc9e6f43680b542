import fc from 'fast-check';
import { kindImports } from '../../../indexer/import/kinds/registry.ts';
import { parseLine } from '../../../indexer/import/parse-line.ts';
import { kindNames } from '../../../src/kinds/kind.ts';

const maxLineBytes = 10_000;
const minimal = { id: 1, name: 'One', slug: 'one' };

function parse(kind: keyof typeof kindImports, value: unknown) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return parseLine(kindImports[kind], { number: 1, bytes: Buffer.from(text), tooLong: false }, maxLineBytes);
}

function problems(kind: keyof typeof kindImports, extra: object): readonly string[] {
  const parsed = parse(kind, { ...minimal, ...extra });
  if (parsed === null || 'id' in parsed) return [];
  return parsed.map(({ path, message }) => `${path}: ${message}`);
}

function column(kind: keyof typeof kindImports, extra: object, name: string): unknown {
  const parsed = parse(kind, { ...minimal, ...extra });
  if (parsed === null || !('id' in parsed)) throw new Error(`The line is bad: ${JSON.stringify(parsed)}`);
  return new Map<string, unknown>(Object.entries(parsed.values)).get(name);
}

test.each(kindNames)('a line of %s needs only id, name and slug, and null counts as absent', (kind) => {
  expect(problems(kind, {})).toEqual([]);
  const nulls = Object.fromEntries(['logo', 'overview', 'location_json', 'links', '_src'].map((key) => [key, null]));
  expect(parse(kind, { ...minimal, ...nulls })).toEqual(parse(kind, minimal));
  expect(parse(kind, {})).toHaveLength(3);
});

test.each(kindNames)('a line of %s refuses unknown fields by name, except notes that begin with _', (kind) => {
  expect(problems(kind, { colour: 'red' })).toEqual(['colour: is not a known field']);
  expect(problems(kind, { _note: { any: ['thing'] }, _src: [{ source: 's' }], _synthetic: true })).toEqual([]);
});

test('text that cannot be stored is refused, and the field named', () => {
  expect(problems('companies', { overview: 'a\0b' })[0]).toMatch(/^overview: .*NUL/);
  expect(problems('companies', { tags: ['fine', '\ud83d'] })[0]).toMatch(/^tags\[1\]: /);
  expect(problems('people', { roles: [{ title: '\udc00' }] })[0]).toMatch(/^roles\[0\]\.title: /);
  expect(problems('companies', { links: { x: '\0' } })[0]).toMatch(/^links\.x: /);
  expect(problems('companies', { _src: [{ ref: '\0' }] }).length).toBeGreaterThan(0);
});

test('prose cut inside an emoji is kept with a replacement character; a name is refused', () => {
  expect(column('companies', { tagline: 'rocket \ud83d' }, 'tagline')).toBe('rocket \ufffd');
  expect(column('people', { headline: '\udc00 x' }, 'headline')).toBe('\ufffd x');
  expect(problems('companies', { name: 'rocket \ud83d' })[0]).toMatch(/^name: /);
});

test.each([
  ['companies', { founded_date: 'infinity' }, /^founded_date: must be a day of the calendar/],
  ['companies', { founded_date: '0044-03-15 BC' }, /^founded_date: must be a day/],
  ['companies', { founded_date: '12026-01-01' }, /^founded_date: must be a day/],
  ['events', { start_date: '-infinity' }, /^start_date: must be a day/],
  ['events', { end_date: '0000-01-01' }, /^end_date: must not be before the year 0001/],
  ['companies', { tags: [['a', 'b']] }, /^tags\[0\]: /],
  ['people', { aliases: ['a', null] }, /^aliases\[1\]: /],
  ['companies', { total_funding_usd: 'NaN' }, /^total_funding_usd: must be a decimal number/],
  ['investors', { links: { site: { url: 'https://a.example' } } }, /^links\.site: /],
] as const)('values that the tables refuse are bad lines with the position: %s %j', (kind, extra, message) => {
  expect(problems(kind, extra)[0]).toMatch(message);
});

test('names with outer white space, and slugs with any, are refused', () => {
  expect(problems('companies', { name: ' One' })[0]).toMatch(/white space/);
  expect(problems('companies', { name: '' })[0]).toMatch(/empty/);
  expect(problems('companies', { slug: 'o ne' })[0]).toMatch(/white space/);
  expect(problems('companies', { name: 'n'.repeat(501) }).length).toBe(1);
});

test('ids are integers up to 2^53-1', () => {
  for (const id of [0, -1, 1.5, '1', null, 2 ** 53]) expect(problems('companies', { id })).not.toEqual([]);
  expect(problems('companies', { id: 2 ** 53 - 1 })).toEqual([]);
});

test('money is a decimal string with at most two fraction digits', () => {
  for (const total of ['0', '12', '12.5', '75000000.00', `${'9'.repeat(18)}.99`]) {
    expect(problems('companies', { total_funding_usd: total })).toEqual([]);
  }
  for (const total of [12, '1e6', '-1', '1.234', '1,000', '', '.5', '012', '9'.repeat(19)]) {
    expect(problems('companies', { total_funding_usd: total })).toHaveLength(1);
  }
});

test('dates must exist in the calendar', () => {
  for (const day of ['2024-02-29', '0001-01-01', '9999-12-31']) {
    expect(problems('companies', { founded_date: day })).toEqual([]);
  }
  for (const day of ['2023-02-29', '2024-04-31', '0000-01-01', '2024-1-1', '2024-01-01T00:00:00Z', '', 20240101]) {
    expect(problems('companies', { founded_date: day })).not.toEqual([]);
  }
  expect(problems('events', { start_date: '2024-05-02', end_date: '2024-05-01' })).toEqual([
    'end_date: is before start_date',
  ]);
});

test('both names of the number of employees are read as one number', () => {
  expect(column('companies', { total_employees: 7 }, 'employee_count')).toBe(7);
  expect(column('companies', { employee_count: 0 }, 'employee_count')).toBe(0);
  expect(column('companies', { employee_count: 7, total_employees: 7 }, 'employee_count')).toBe(7);
  expect(problems('companies', { employee_count: 7, total_employees: 8 })[0]).toMatch(/^employee_count: is 7/);
});

test('the founding year must agree with the founding date', () => {
  expect(problems('companies', { year_founded: 2019, founded_date: '2019-12-31' })).toEqual([]);
  expect(problems('companies', { year_founded: 2020, founded_date: '2019-12-31' })[0]).toMatch(/^founded_date: /);
});

test('lines that are not JSON objects are distinguished', () => {
  const message = (text: string | Buffer) => {
    const bytes = Buffer.from(text);
    const parsed = parseLine(kindImports.companies, { number: 1, bytes, tooLong: false }, maxLineBytes);
    return parsed === null || 'id' in parsed ? parsed : parsed[0]?.message;
  };
  expect(message('')).toBeNull();
  expect(message(' \t\r')).toBeNull();
  expect(message('{"id":1')).toMatch(/^is not JSON/);
  expect(message('[{}]')).toMatch(/jq/);
  expect(message('7')).toBe('is not a JSON object');
  expect(message('null')).toBe('is not a JSON object');
  expect(message(Buffer.from([0x7b, 0xff, 0x7d]))).toMatch(/UTF-8/);
});

test('any JSON value gives a row, problems or a blank, and never an exception', () => {
  fc.assert(
    fc.property(fc.constantFrom(...kindNames), fc.jsonValue(), (kind, value) => {
      const parsed = parse(kind, JSON.stringify(value));
      expect(parsed === null || Array.isArray(parsed) || 'id' in parsed).toBe(true);
    }),
  );
});

test('any field may contain any JSON value without an exception', () => {
  const fields = fc.record(
    Object.fromEntries(
      ['overview', 'roles', 'links', 'location_json', '_src', 'portfolio_companies', 'tags', '__proto__'].map((key) => [
        key,
        fc.jsonValue(),
      ]),
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...kindNames), fields, (kind, extra) => {
      const parsed = parse(kind, { ...minimal, ...extra });
      expect(parsed).not.toBeNull();
    }),
  );
});
