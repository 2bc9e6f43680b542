import { accountEndpoints } from '../../../src/http/account/account-endpoints.ts';
import { startApi } from '../../support/api/in-process.ts';

test('a method that no route of the path has is 405 with the methods of the path alone', async () => {
  await using api = await startApi();
  const byPath = Map.groupBy(accountEndpoints, ({ path }) => path);
  for (const [path, same] of byPath) {
    const offered = same.map(({ method }) => method.toUpperCase());
    const allow = [...offered, ...(offered.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !offered.includes(each))) {
      const response = await fetch(api.url + path.replace(/\{\w+\}/, '1'), { method });
      const answer = { status: response.status, allow: response.headers.get('allow') };
      expect({ path, method, ...answer }).toEqual({ path, method, status: 405, allow });
    }
  }
});
