import { closestName, insteadOf, noneOf } from '../../../src/lib/text/closest-name.ts';
import { at, operationsOf, published } from '../../support/api/published.ts';
import { costSince } from '../../support/processor-time.ts';

/** The names of the parameters of every address that has some. */
const lists = operationsOf(published()).flatMap(({ path, method }) => {
  const parameters = Object.values(at(published(), 'paths', path, method, 'parameters') ?? {});
  const names = parameters.filter((each) => at(each, 'in') === 'query').map((each) => String(at(each, 'name')));
  return names.length === 0 ? [] : [{ path, names }];
});

/** Every name with one typo in a name of three letters or more. */
function slips(name: string): readonly string[] {
  // Without the hyphen of an exclusion it is another name.
  const first = name.startsWith('-') ? 1 : 0;
  return Array.from(name.slice(first)).flatMap((letter, at) => {
    const place = first + at;
    const [before, after] = [name.slice(0, place), name.slice(place + 1)];
    const next = after.slice(0, 1);
    return [
      before + after,
      `${before}x${after}`,
      `${before}${letter}${letter}${after}`,
      before + next + letter + after.slice(1),
    ];
  });
}

test.each(lists)('any parameter of $path with one typo leads back to it, or to one as near', ({ names }) => {
  for (const name of names.filter(({ length }) => length > 3)) {
    for (const slip of slips(name).filter((each) => !names.includes(each))) {
      const found = closestName(slip, names) ?? '';
      expect({ slip, found }).toEqual({ slip, found: found === name || slips(found).includes(slip) ? found : name });
    }
  }
});

test.each([
  ['tags', ['city', 'tag'], 'tag'],
  ['Tag', ['city', 'tag'], 'tag'],
  ['foundedFrom', ['founded_to', 'founded_from'], 'founded_from'],
  ['founded-from', ['founded_to', 'founded_from'], 'founded_from'],
  ['company', ['companies', 'people'], 'companies'],
  ['f', ['fields', 'founded_from', 'facets'], null],
  ['colour', ['country', 'city', 'tag'], null],
  ['__proto__', ['type', 'tag'], null],
  ['', ['type'], null],
  ['___', ['type'], null],
  ['x'.repeat(100_000), ['type'], null],
  ['type', [], null],
] as const)('%j among %j means %j', (given, known, meant) => {
  expect(closestName(given, known)).toBe(meant);
});

test('a message names the nearest value, a short list, or where the list is, and is never long', () => {
  const many = Array.from({ length: 60 }, (_, at) => `name_${at}`);
  expect(insteadOf('tpye', ['type', 'limit'], 'parameters')).toBe(': did you mean "type"?');
  expect(insteadOf('zzz', ['type', 'limit'], 'parameters')).toBe(', the parameters are type, limit');
  expect(insteadOf('zzz', many, 'parameters')).toBe(': /docs lists the parameters');
  expect(noneOf('up', ['up', 'down'].slice(1))).toBe('must be down');
  expect(noneOf('dwon', ['up', 'down'])).toBe('must be one of up, down: did you mean "down"?');
  expect(noneOf(7, ['up', 'down'])).toBe('must be one of up, down');
  expect(noneOf('zzz', many)).toBe('must be one of the values that /docs lists');
});

test('finding a name among sixty takes negligible time for any input', () => {
  const known = Array.from({ length: 60 }, (_, at) => `a_parameter_of_thirty_letters_${at}`);
  const before = process.cpuUsage();
  for (let at = 0; at < 100; at += 1) closestName(`a_parameter_of_thirty_lettres_${'y'.repeat(at % 8)}`, known);
  expect(costSince(before)).toBeLessThan(100);
});
