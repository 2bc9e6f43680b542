import { startApi } from '../../support/api/in-process.ts';
import { at, exampleAnswersOf, misfit, operationsOf, publishedAccount } from '../../support/api/published.ts';

const operations = operationsOf(publishedAccount());
const answers = exampleAnswersOf(publishedAccount());

/** An address of the path, its places filled. */
const filled = (path: string): string => path.replace(/\{\w+\}/, '1');

test('the document is served as it is made from the schemas', async () => {
  await using api = await startApi();
  const response = await fetch(`${api.url}/account/api/openapi.json`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(publishedAccount());
});

test('every address of the account is in the document, and no other one', async () => {
  await using api = await startApi();
  for (const { path, method } of operations) {
    expect(path).toMatch(/^\/account\/api\//);
    const response = await fetch(`${api.url}${filled(path)}`, { method: 'OPTIONS' });
    expect({ path, status: response.status }).toEqual({ path, status: 204 });
    const allowed = response.headers.get('allow')?.split(', ') ?? [];
    expect({ path, allowed }).toEqual({ path, allowed: expect.arrayContaining([method.toUpperCase()]) });
  }
});

test('a method that no route of the path has is 405 with the methods of the path alone', async () => {
  await using api = await startApi();
  const byPath = Map.groupBy(operations, ({ path }) => path);
  for (const [path, same] of byPath) {
    const offered = same.map(({ method }) => method.toUpperCase());
    const allow = [...offered, ...(offered.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !offered.includes(each))) {
      const response = await fetch(api.url + filled(path), { method });
      const answer = { status: response.status, allow: response.headers.get('allow') };
      expect({ path, method, ...answer }).toEqual({ path, method, status: 405, allow });
    }
  }
});

test('every parameter is explained', () => {
  const silent = operations.flatMap(({ path, method }) =>
    Object.values(at(publishedAccount(), 'paths', path, method, 'parameters') ?? {})
      .filter((parameter) => at(parameter, 'description') === '')
      .map((parameter) => `${path} ${at(parameter, 'name')}`),
  );
  expect(silent).toEqual([]);
});

test.each(answers)('the example answer $title fits its schema', ({ place, value }) => {
  expect(misfit([...place, 'schema'], value, publishedAccount())).toBeNull();
});
