import fc from 'fast-check';
import { toolList } from '../../../src/http/mcp/server.ts';
import { toQueryString } from '../../../src/http/mcp/tool-arguments.ts';
import { splitList } from '../../../src/lib/parameter-schemas.ts';

test('a list of any texts survives the round trip through its query string', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', '\\', '&', '=', '%', '+', ' ', 'é') });
  fc.assert(
    fc.property(fc.array(text), (given) => {
      const query = new URLSearchParams(toQueryString({ tag: given }, ['tag']));
      // White space around a value and blank values are ignored, as in URLs.
      expect(splitList(query.getAll('tag'))).toEqual(given.map((each) => each.trim()).filter((each) => each !== ''));
    }),
  );
});

test('numbers and booleans are written as in a URL, null is left out, and an unknown name is an error', () => {
  const given = { kind: 'companies', limit: 5, literal: true, page: null };
  expect(toQueryString(given, Object.keys(given), { kind: 'type' })).toBe('type=companies&limit=5&literal=true');
  expect(() => toQueryString({ tpye: 1 }, ['kind'], { kind: 'type' })).toThrow(/"tpye": is unknown/);
  expect(() => toQueryString({ type: 1 }, ['kind'], { kind: 'type' })).toThrow(/did you mean "kind"/);
});

test('descriptions of tools leave out rules of URLs', () => {
  expect(JSON.stringify(toolList())).not.toMatch(/May be called|%2B|with commas between/);
});
