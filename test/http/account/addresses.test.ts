import { connect } from 'node:net';
import { accountEndpoints } from '../../../src/http/account/account-endpoints.ts';
import { type Api, startApi } from '../../support/api/in-process.ts';
import { servedPages } from '../../support/console/built-pages.ts';
import { entities } from '../../support/console/page-parts.ts';

/** Returns the head of the answer to raw request bytes. */
async function send(api: Api, lines: readonly string[]): Promise<string> {
  const socket = connect(api.port, '127.0.0.1');
  socket.end([...lines, 'Connection: close', '', ''].join('\r\n'));
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

const startWithPages = servedPages();

describe('With an invalid address that resembles this machine', () => {
  test.each(['localhost:99999', '127.999.1.1', '127.0.0.1:65536', '[::1]:70000'])(
    'as Host %s, sign-in is reported as unavailable',
    async (host) => {
      await using api = await startApi({ account: {} });
      const answer = await send(api, ['GET /account/api/session HTTP/1.1', `Host: ${host}`]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain('"available":false');
      expect(answer).toContain('PUBLIC_URL');
    },
  );

  test.each(['ht tp', 'a/b', 'javascript', '"><script>'])(
    'behind a proxy, an invalid protocol %s makes sign-in unavailable, too',
    async (protocol) => {
      await using api = await startApi({ env: { TRUST_PROXY: '1' } });
      const host = `Host: localhost:${api.port}`;
      const answer = await send(api, ['GET /account/api/session HTTP/1.1', host, `X-Forwarded-Proto: ${protocol}`]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain('"available":false');
    },
  );

  test('the default port is left out', async () => {
    await using api = await startApi({ account: {} });
    const signOut = (origin: string) =>
      send(api, [
        'POST /account/api/sign-out HTTP/1.1',
        'Host: localhost:80',
        `Origin: ${origin}`,
        'Content-Type: text/plain',
        'Content-Length: 0',
      ]);
    expect(await signOut('http://localhost')).toMatch(/^HTTP\/1\.1 415 /);
    expect(await signOut('http://localhost:80')).toMatch(/^HTTP\/1\.1 403 /);
  });
});

test('OPTIONS lists the methods of a literal path, not of a parameterized path that also matches', async () => {
  await using api = await startApi();
  const response = await fetch(`${api.url}/account/api/wallets/challenge`, { method: 'OPTIONS' });
  expect(response.headers.get('allow')).toBe('OPTIONS, POST');
});

describe('An entity whose slug cannot be part of a URL', () => {
  test.each(['1000001', '..', '.'])('with the slug %s is linked by its id', async (slug) => {
    const related = [{ kind: 'people', id: 3, name: 'Bo', slug }] as const;
    const roles = [
      { title: 'Founder', organisation: 'Plover', detail: null, company: { id: 9, name: 'Plover', slug } },
    ];
    const store = entities({ companies: { name: 'Plover', slug }, people: { name: 'Bo', slug, roles } }, related);
    await using api = await startWithPages({ access: { entities: store } });
    const read = async (path: string) => (await fetch(`http://localhost:${api.port}${path}`)).text();
    const company = await read('/companies/7');
    expect(company).toContain(`<link rel="canonical" href="http://localhost:${api.port}/companies/7">`);
    expect(company).toContain('href="/people/3"');
    expect(company).toContain('/api/v1/companies/7');
    expect(await read('/people/7')).toContain('href="/companies/9"');
  });
});

test('an unsupported method is 405 with the methods of exactly that path', async () => {
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
