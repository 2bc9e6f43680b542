import { RawJson, stringifyPieces } from '../../../src/records/raw-json.ts';

const cases: readonly (readonly [string, unknown, unknown])[] = [
  ['without any text', { a: [1, 'b', null] }, { a: [1, 'b', null] }],
  ['with one', { a: new RawJson('[1, {"b" : "c"}]') }, { a: [1, { b: 'c' }] }],
  ['with several, in their places', [new RawJson('1'), 2, new RawJson('"3"')], [1, 2, '3']],
  ['as a whole', new RawJson('{"a":1}'), { a: 1 }],
  ['next to a value that reads like its mark', ['\u0000json\u0000', new RawJson('1')], ['\u0000json\u0000', 1]],
  ['with what a replacement would take for a pattern', { a: new RawJson('"$&$1"') }, { a: '$&$1' }],
];

test.each(cases)('ready JSON is inserted in its place: %s', (_, value, expected) => {
  expect(JSON.parse(stringifyPieces(value).join(''))).toEqual(expected);
});

test('ready JSON goes out as it is', () => {
  expect(stringifyPieces({ a: new RawJson('{"b" : ', '1.10}') }).join('')).toBe('{"a":{"b" : 1.10}}');
});
