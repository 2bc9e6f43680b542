import { benchNames, readWish } from '../../../dev/bench/options.ts';
import { parametersFor } from '../../../dev/bench/queries.ts';
import { random } from '../../../dev/sample/random.ts';
import { parseSearch } from '../../../src/http/request/search-parameters.ts';

function wish(...args: readonly string[]) {
  let said = '';
  const found = readWish(args, {}, (text) => {
    said += text;
  });
  return { found, said };
}

test('names are run in the order of the list, each once, and all of them for "all"', () => {
  const names = (...args: readonly string[]) => {
    const { found } = wish(...args);
    return found.kind === 'run' ? found.options.names : [];
  };
  expect(names('verify', 'bulk', 'verify')).toEqual(['bulk', 'verify']);
  expect(names('all')).toEqual(benchNames);
});

test.each([
  [[], 'missing required argument'],
  [['nonsense'], "'nonsense' is invalid"],
  [['bulk', '--rows', '1e3'], 'whole number'],
  [['bulk', '--rounds', '0'], 'whole number from 1'],
  [['bulk', '--wrong'], "unknown option '--wrong'"],
])('%j is refused with exit code 2, and says why', (args, why) => {
  const { found, said } = wish(...args);
  expect(found).toEqual({ kind: 'ended', exitCode: 2 });
  expect(said).toContain(why);
});

test('made-up queries are of many shapes, and the API understands each', () => {
  const company = { name: 'Plover Spire', tagline: 'A quiet market', tags: ['lending'], city: 'Lisbon', country: 'PT' };
  const asked = Array.from({ length: 200 }, (_, at) => parametersFor(company, random(`test ${at}`)));
  for (const parameters of asked) {
    const { query } = parseSearch(new URLSearchParams({ type: 'companies', ...parameters }).toString());
    expect(query.text).not.toBe('');
  }
  expect(new Set(asked.map((parameters) => JSON.stringify(parameters))).size).toBeGreaterThan(10);
});
