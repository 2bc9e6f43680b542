import { pino } from 'pino';
import { codingFor } from '../../../src/http/response/content-coding.ts';
import { createMemoryBudget } from '../../../src/http/server/memory-budget.ts';
import { RawJson, stringifyPieces } from '../../../src/records/raw-json.ts';

const kilobyte = 1_024;
const silent = pino({ level: 'silent' });

/** A budget, and the names of the answers that it cut. */
function budgetOf(bytesMax: number) {
  const budget = createMemoryBudget(bytesMax, 'cut', silent);
  const cut: string[] = [];
  const add = (name: string, address: string, kilobytes: number): (() => void) =>
    budget.add(address, kilobytes * kilobyte, () => void cut.push(name));
  return { budget, cut, add };
}

test('no answer is cut while all are read', () => {
  const { budget, cut, add } = budgetOf(400 * kilobyte);
  for (let made = 0; made < 100; made += 1) add(String(made), '192.0.2.1', 50)();
  expect(cut).toEqual([]);
  expect(budget.held()).toBe(0);
});

test('beyond the share of an address, its oldest waiting answers are cut, and those of others are not', () => {
  const { cut, add } = budgetOf(800 * kilobyte);
  add('theirs', '192.0.2.2', 60);
  // With the memory of each in addition to its body, two of these fit into the 200 KB of one address.
  for (const name of ['a', 'b', 'c', 'd']) add(name, '192.0.2.1', 60);
  expect(cut).toEqual(['a', 'b']);
});

test('beyond the limit of the process, the oldest waiting answers are cut, whatever their address', () => {
  const { budget, cut, add } = budgetOf(400 * kilobyte);
  for (let made = 0; made < 8; made += 1) add(String(made), `192.0.2.${made}`, 60);
  expect(cut).toEqual(['0', '1', '2']);
  expect(budget.held()).toBeLessThanOrEqual(400 * kilobyte);
});

test('an answer larger than the whole budget is sent if it is the newest', () => {
  const { cut, add } = budgetOf(100 * kilobyte);
  add('small', '192.0.2.1', 1);
  const done = add('large', '192.0.2.1', 5_000);
  expect(cut).toEqual(['small']);
  done();
  add('next', '192.0.2.1', 1);
  expect(cut).toEqual(['small']);
});

test('a cut or abandoned answer is counted once', () => {
  const { budget, add } = budgetOf(100 * kilobyte);
  const first = add('first', '192.0.2.1', 5);
  const second = add('second', '192.0.2.1', 5);
  first();
  first();
  second();
  second();
  expect(budget.held()).toBe(0);
});

test('answers that share memory are limited in number', () => {
  const { cut, add } = budgetOf(1_024 * kilobyte);
  for (let made = 0; made < 20; made += 1) add(String(made), '192.0.2.1', 0);
  expect(cut).toEqual(['0', '1', '2', '3']);
});

const cases: readonly (readonly [string, unknown, unknown])[] = [
  ['without any text', { a: [1, 'b', null] }, { a: [1, 'b', null] }],
  ['with one', { a: new RawJson('[1, {"b" : "c"}]') }, { a: [1, { b: 'c' }] }],
  ['with several, in their places', [new RawJson('1'), 2, new RawJson('"3"')], [1, 2, '3']],
  ['as a whole', new RawJson('{"a":1}'), { a: 1 }],
  ['next to a value that reads like its mark', ['\u0000json\u0000', new RawJson('1')], ['\u0000json\u0000', 1]],
  ['with what a replacement would take for a pattern', { a: new RawJson('"$&$1"') }, { a: '$&$1' }],
];

test.each(cases)('prepared JSON is inserted in its place: %s', (_, value, expected) => {
  expect(JSON.parse(stringifyPieces(value).join(''))).toEqual(expected);
});

test('prepared JSON is sent unchanged', () => {
  expect(stringifyPieces({ a: new RawJson('{"b" : ', '1.10}') }).join('')).toBe('{"a":{"b" : 1.10}}');
});

test.each([
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['BR', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=0.9, br;q=0.2', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', 'identity'],
  ['*;q=0, gzip;q=0.001', 'gzip'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, *', 'br'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['gzip ; q=0.5 , br ; q=0.4', 'gzip'],
  ['gzip;q=x', 'identity'],
  ['deflate, zstd', 'identity'],
  [',,;;,q=1', 'identity'],
])('"%s" is answered with %s', (accepted, coding) => {
  expect(codingFor({ headers: { 'accept-encoding': accepted } })).toBe(coding);
});
