import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Api, startApi } from '../../support/api/in-process.ts';
import { buildPages } from '../../support/console/built-pages.ts';
import { entities } from '../../support/console/page-parts.ts';
import { until } from '../../support/until.ts';

/** Returns the head of the answer to raw request bytes. */
async function send(api: Api, lines: readonly string[]): Promise<string> {
  const socket = connect(api.port, '127.0.0.1');
  socket.end([...lines, 'Connection: close', '', ''].join('\r\n'));
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

describe('A host that looks like this machine and is no address', () => {
  test.each(['localhost:99999', '127.999.1.1', '127.0.0.1:65536', '[::1]:70000'])(
    '%s is told that nobody signs in there',
    async (host) => {
      await using api = await startApi({ account: {} });
      const answer = await send(api, ['GET /account/api/session HTTP/1.1', `Host: ${host}`]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain('"available":false');
      expect(answer).toContain('PUBLIC_URL');
    },
  );

  test.each(['ht tp', 'a/b', 'javascript', '"><script>'])(
    'neither does the protocol %s behind a proxy',
    async (protocol) => {
      await using api = await startApi({ env: { TRUST_PROXY: '1' } });
      const host = `Host: localhost:${api.port}`;
      const answer = await send(api, ['GET /account/api/session HTTP/1.1', host, `X-Forwarded-Proto: ${protocol}`]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain('"available":false');
    },
  );

  test('the port that browsers leave out is left out', async () => {
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

describe('The page of an entity whose slug an address does not lead to', () => {
  test.each(['1000001', '..', '.'])('%s is called by its id', async (slug) => {
    using built = buildPages();
    const related = [{ kind: 'people', id: 3, name: 'Bo', slug }] as const;
    const roles = [
      { title: 'Founder', organisation: 'Plover', detail: null, company: { id: 9, name: 'Plover', slug } },
    ];
    const store = entities({ companies: { name: 'Plover', slug }, people: { name: 'Bo', slug, roles } }, related);
    await using api = await startApi({ pages: built.pages, access: { entities: store } });
    const read = async (path: string) => (await fetch(`http://localhost:${api.port}${path}`)).text();
    const company = await read('/companies/7');
    expect(company).toContain(`<link rel="canonical" href="http://localhost:${api.port}/companies/7">`);
    expect(company).toContain('href="/people/3"');
    expect(company).toContain('/api/v1/companies/7');
    expect(await read('/people/7')).toContain('href="/companies/9"');
  });
});

describe('Changes whose bodies do not come', () => {
  const changes = (api: Api, address: string) => [
    'POST /account/api/sign-out HTTP/1.1',
    `Host: localhost:${api.port}`,
    `Origin: http://localhost:${api.port}`,
    `X-Forwarded-For: ${address}`,
    'Content-Type: application/json',
    'Content-Length: 2',
    '',
  ];

  /** Opens this many connections that send half of their body; each answer is added to `answers`. */
  async function begin(api: Api, addresses: readonly string[], answers: string[]): Promise<void> {
    const sockets = addresses.map((address) => {
      const socket = connect(api.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('data', (data) => answers.push(String(data).slice('HTTP/1.1 '.length, 'HTTP/1.1 503'.length)));
      socket.write([...changes(api, address), '{'].join('\r\n'));
      return socket;
    });
    opened.push(...sockets);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  }

  const opened: Socket[] = [];
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
  });

  const env = { REQUESTS_MAX: '64', TRUST_PROXY: '1' };
  const ofOne = 4;
  const ofAll = 16;
  const signOut = async (api: Api, address: string): Promise<number> => {
    const headers = { origin: `http://localhost:${api.port}`, 'x-forwarded-for': address, ...json };
    return (await fetch(`http://localhost:${api.port}/account/api/sign-out`, { method: 'POST', body: '{}', headers }))
      .status;
  };
  const json = { 'content-type': 'application/json' };

  test('of one address leave places for those of others', async () => {
    await using api = await startApi({ env, account: {} });
    const answers: string[] = [];
    await begin(api, Array(100).fill('192.0.2.1'), answers);
    await until(() => answers.length === 100 - ofOne, 'the refusal of what is too many');
    expect(new Set(answers)).toEqual(new Set(['503']));
    expect(await signOut(api, '192.0.2.1')).toBe(503);
    expect(await signOut(api, '192.0.2.2')).toBe(200);
    for (const socket of opened) socket.destroy();
    await until(async () => (await signOut(api, '192.0.2.1')) === 200, 'a place for the address again');
  });

  test('of many addresses leave places for those who read, and for those with a key', async () => {
    await using api = await startApi({ env, account: {} });
    const answers: string[] = [];
    const addresses = Array.from({ length: 100 }, (_, at) => `192.0.2.${at}`);
    await begin(api, addresses, answers);
    await until(() => answers.length === 100 - ofAll, 'the refusal of what is too many');
    expect((await fetch(`${api.url}/account/api/session`)).status).toBe(200);
    expect((await api.keyed('/api/v1/usage')).status).toBe(200);
  });
});
