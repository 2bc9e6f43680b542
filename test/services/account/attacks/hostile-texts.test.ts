import { accountEndpoints } from '../../../../src/http/account/account-endpoints.ts';
import { forFile } from '../../../support/for-file.ts';
import { setMembersStage } from '../../../support/stages/account/members.ts';

// Requests to the account that no page sends.

const api = '/account/api/';
/** A well-formed body of every route that takes one; fields that may be left out are not here. */
const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'wallets/challenge': { address: `0x${'1'.repeat(40)}`, purpose: 'sign-in' },
  'passkeys/challenge': { purpose: 'sign-in' },
  'sign-in/wallet': { message: 'x', signature: '0x11' },
  'sign-in/passkey': { response: {} },
  'invitations/read': { token: 'x'.repeat(43) },
  'invitations/accept': { token: 'x'.repeat(43), wallet: { message: 'x', signature: '0x11' } },
  'session/confirmation': { wallet: { message: 'x', signature: '0x11' } },
  wallets: { message: 'x', signature: '0x11' },
  passkeys: { name: 'x', response: {} },
  keys: { name: 'x', environment: 'live' },
  'keys/{id}/name': { name: 'x' },
  'operator/accounts/{id}/suspension': { suspended: true },
  'operator/accounts/{id}/plan': { plan: 'starter' },
};
/** These may come with nothing. */
const bodiless = ['sign-out', 'sign-out-everywhere', 'keys/{id}/rotation'];

const posts = accountEndpoints
  .filter(({ method, path }) => method === 'post' && path.startsWith(api))
  .map(({ path }) => path.slice(api.length));
const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, '1');

const stage = await forFile(setMembersStage());
const member = await stage.member();
await stage.access.pool.query(`update accounts set role = 'operator' where id = $1`, [member.accountId]);

/** Sends text as it is, from our own pages. */
async function send(path: string, body: string | Uint8Array<ArrayBuffer>, type: string | null = 'application/json') {
  const cookie = Array.from(member.client.cookies, ([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(`${stage.origin}${api}${filled(path)}`, {
    method: 'POST',
    headers: { origin: stage.origin, cookie, ...(type === null ? {} : { 'content-type': type }) },
    body,
  });
  const text = await response.text();
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const parsed: unknown = JSON.parse(text);
  return { status: response.status, headers: response.headers, text, body: parsed };
}

test('the test covers every route that takes a body', () => {
  expect(posts.toSorted()).toEqual([...Object.keys(bodies), ...bodiless].toSorted());
});

describe.each(Object.keys(bodies))('POST %s', (path) => {
  const good = bodies[path] ?? {};

  test('accepts only JSON', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'text/json',
      'multipart/form-data; boundary=x',
      null,
    ]) {
      // A string has a type of its own, bytes have none.
      const answer = await send(path, new TextEncoder().encode(JSON.stringify(good)), type);
      expect({ type, status: answer.status }).toEqual({ type, status: 415 });
    }
  });

  test.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['nothing', ''],
    ['truncated', JSON.stringify(good).slice(0, -1)],
    ['invalid JSON', 'name=x'],
    ['not an object', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['a number', '1'],
    ['bytes that are not text', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['deeply nested', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ])('names the problem of a body that is %s', async (_, body) => {
    const answer = await send(path, body);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toMatch(/stack|node:|\.ts:/);
  });

  test('refuses a body that is too long before reading it', async () => {
    const answer = await send(path, JSON.stringify({ ...good, padding: 'x'.repeat(200_000) }));
    expect(answer.status).toBe(413);
  });

  test.each(Object.keys(good))('names %s if it is missing or of another type', async (name) => {
    const { [name]: _, ...rest } = good;
    // If one of two ways in is missing, a bad invitation is reported first.
    const eitherOr = path === 'invitations/accept' && name === 'wallet';
    for (const changed of [
      ...(eitherOr ? [] : [rest]),
      { ...good, [name]: null },
      { ...good, [name]: 7 },
      { ...good, [name]: ['x'] },
    ]) {
      const answer = await send(path, JSON.stringify(changed));
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(name);
    }
  });

  test('limits each text', async () => {
    const texts = Object.keys(good).filter((name) => typeof good[name] === 'string');
    for (const name of texts) {
      for (const text of ['x'.repeat(60_000), '\u0000', '\ud800']) {
        const answer = await send(path, JSON.stringify({ ...good, [name]: text }));
        expect([400, 401, 404]).toContain(answer.status);
        if (text.length > 1) expect(answer.status).toBe(400);
      }
    }
  });

  test('treats names of inherited object properties as unknown fields', async () => {
    const answer = await send(path, `{"__proto__":{"purpose":"sign-in","name":"x"},"constructor":1}`);
    expect(answer.status).toBe(400);
  });
});

test.each([
  'usage?days=0',
  'usage?days=91',
  'usage?days=x',
  'usage?days=',
  'events?limit=0',
  'events?limit=1000',
  'events?before=x%00',
  'payments?limit=-1',
  'payments?before=x',
  'search?type=nothing',
  'search?type=companies&limit=100000',
  'operator/accounts?after=x%00',
])('GET %s is refused, and the parameter named', async (path) => {
  const answer = await member.client.get(path);
  expect(answer.status).toBe(400);
  const [, name = ''] = /\?(?:.*&)?(\w+)=/.exec(path) ?? [];
  expect(answer.text).toContain(name);
});

test('a request line, headers or cookies of any length get a response', async () => {
  const long = 'x'.repeat(100_000);
  expect((await member.client.get(`search?type=all&query=${long}`)).status).toBe(431);
  const client = stage.visitor();
  client.cookies.set('entity_search_session', long);
  expect((await client.get('security')).status).toBe(431);
});

// Texts by strangers on server-rendered pages: in elements, in attributes, in the title, and in data blocks, which end at
// the first "</script". A browser test covers the pages' own scripts.

const texts = [
  '<script>globalThis.owned = 1</script>',
  '"><img src=x onerror="globalThis.owned = 1">',
  "'><svg/onload=globalThis.owned=1>",
  '</title><script>globalThis.owned = 1</script>',
  '</script><script>globalThis.owned = 1</script>',
  '<!--<script>',
  ']]><script>globalThis.owned = 1</script>',
  '{{constructor.constructor("globalThis.owned = 1")()}}',
  '\u2028globalThis.owned = 1\u2029',
  '&lt;script&gt;globalThis.owned = 1&lt;/script&gt;',
];

test.each(texts)('the page of an entity named %j contains no script from the name', async (text) => {
  const { rows } = await stage.access.pool.query<{ id: number }>(
    `insert into companies (id, name, slug, tagline, overview, tags, website, city, country, links)
     values ((select max(id) + 1 from companies where id < 1000000), $1, $2, $1, $1, array[$1], 'javascript:alert(1)', $1, $1,
       jsonb_build_object($1::text, $1::text, 'x', 'javascript:alert(1)'))
     returning id`,
    [text, `slug-${Buffer.from(text).toString('hex').slice(0, 60)}`],
  );
  const response = await fetch(`${stage.origin}/companies/${rows[0]?.id}`);
  const html = await response.text();
  expect(response.status).toBe(200);
  expectHarmless(html);
});

function expectHarmless(html: string): void {
  const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi)];
  for (const [, attributes = '', content = ''] of scripts) {
    if (/type="application\/(?:ld\+)?json"/.test(attributes)) {
      expect(() => JSON.parse(content)).not.toThrow();
      expect(content).not.toMatch(/<!--|<\/?script/i);
    } else {
      expect(attributes).toMatch(/ src="\/console\/assets\//);
      expect(content.trim()).toBe('');
    }
  }
  const markup = html.replaceAll(/<script\b[^>]*>[\s\S]*?<\/script\s*>/gi, '');
  expect(markup).not.toMatch(/<(?:img|svg)[^>]*\bon\w+=/i);
  expect(markup).not.toMatch(/<script\b(?![^>]* src=)/i);
  expect(markup).not.toMatch(/(?:href|src|action)\s*=\s*["']?\s*javascript:/i);
  expect(markup).not.toMatch(/\son\w+\s*=\s*["']/i);
  expect(markup).not.toMatch(/\sstyle\s*=/i);
}

test.each(['"><script>1</script>', "'/><svg onload=1>", '</script><script>1</script>'])(
  'the address %j is not echoed as markup',
  async (text) => {
    const slug = encodeURIComponent(text);
    for (const path of [
      `/companies/${slug}`,
      `/search?query=${slug}`,
      `/search?type=${slug}`,
      `/${slug}`,
      `/account/${slug}`,
    ]) {
      // Without an index, the search page shows an error. It still has the text in its search box.
      const response = await fetch(`${stage.origin}${path}`, { headers: { accept: 'text/html' } });
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expectHarmless(await response.text());
    }
  },
);

test('names of accounts and keys are returned as data, with a type that no browser treats as a page', async () => {
  const { client, accountId } = await stage.member();
  for (const [n, text] of texts.entries()) {
    await stage.access.pool.query('update accounts set name = $2 where id = $1', [
      accountId,
      `${n} ${text.replaceAll(/[\u2028\u2029]/g, ' ').trim()}`,
    ]);
    const answer = await client.get('session');
    expect(answer.data.account.name).toContain(String(n));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});
