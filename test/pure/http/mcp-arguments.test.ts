import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { z } from 'zod';
import { compactObject, compactSchema } from '../../../src/http/mcp/compact.ts';
import { toolList } from '../../../src/http/mcp/server.ts';
import { toQueryString } from '../../../src/http/mcp/tool-arguments.ts';
import { splitList } from '../../../src/lib/parameter-schemas.ts';

test('a list of any texts comes out of its query string as it went in', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', '\\', '&', '=', '%', '+', ' ', 'é') });
  fc.assert(
    fc.property(fc.array(text), (given) => {
      const query = new URLSearchParams(toQueryString({ tag: given }, ['tag']));
      // White space around a value does not count, nor do values of nothing else, in an address either.
      expect(splitList(query.getAll('tag'))).toEqual(given.map((each) => each.trim()).filter((each) => each !== ''));
    }),
  );
});

test('numbers and booleans are written as in an address, null is left out, a wrong name is not', () => {
  const given = { kind: 'companies', limit: 5, literal: true, page: null };
  expect(toQueryString(given, Object.keys(given), { kind: 'type' })).toBe('type=companies&limit=5&literal=true');
  expect(() => toQueryString({ tpye: 1 }, ['kind'], { kind: 'type' })).toThrow(/"tpye": is unknown/);
  expect(() => toQueryString({ type: 1 }, ['kind'], { kind: 'type' })).toThrow(/did you mean "kind"/);
});

test('the rest of an object without blanks fits the schema without blanks', () => {
  const place = z.strictObject({ city: z.string().nullable(), country: z.string().nullable() });
  const whole = z.strictObject({
    id: z.int().positive(),
    kind: z.enum(['a', 'b']),
    name: z.string(),
    note: z.string().nullable(),
    year: z.int().nullable(),
    isOnline: z.boolean().nullable(),
    tags: z.array(z.string()),
    place: place.nullable(),
    places: z.array(place),
    links: z.record(z.string(), z.string()),
  });
  const text = fc.constantFrom('', 'x');
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value);
  const places = fc.record({ city: maybe(text), country: maybe(text) });
  const values = fc.record({
    id: fc.integer({ min: 1 }),
    kind: fc.constantFrom('a', 'b'),
    name: text,
    note: maybe(text),
    year: maybe(fc.integer()),
    isOnline: maybe(fc.boolean()),
    tags: fc.array(text, { maxLength: 2 }),
    place: maybe(places),
    places: fc.array(places, { maxLength: 2 }),
    links: fc.dictionary(fc.constantFrom('a', 'b'), text),
  });
  const schema = compactSchema(z.toJSONSchema(whole));
  expect(JSON.stringify(schema)).not.toMatch(/null/);
  expect(schema.required).toEqual(['id', 'kind']);
  const validate = new Ajv2020({ strict: false }).compile({ ...schema });
  fc.assert(
    fc.property(values, (value) => {
      const compacted = compactObject(value);
      expect(JSON.stringify(compacted)).not.toMatch(/null/);
      expect({ fits: validate(compacted), errors: validate.errors }).toEqual({ fits: true, errors: null });
    }),
  );
});

test('descriptions of tools leave out rules of addresses', () => {
  expect(JSON.stringify(toolList())).not.toMatch(/May be called|%2B|with commas between/);
});
