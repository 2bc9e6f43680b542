import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { forFile } from '../../support/for-file.ts';
import { expectServed } from '../../support/payments/paid-answer.ts';
import { newPayer, signPayment } from '../../support/payments/payers.ts';
import { startLoopback } from '../../support/proxies/loopback.ts';
import { setAccessStage } from '../../support/stages/access.ts';
import { setImportStage } from '../../support/stages/import.ts';
import { setPaidStage } from '../../support/stages/paid.ts';

// Values that look like statements or addresses: on a real Postgres, through the real programs, they stay
// values. No address from a caller or a file is ever fetched.

const stage = await forFile(setAccessStage());

const statements = [
  `'; drop table companies; --`,
  `" or 1=1 --`,
  `quartz-ledger' or 'a'='a`,
  `1); delete from people; --`,
  `$1`,
  `$$; select pg_sleep(9); $$`,
  `\\'; select pg_sleep(9); --`,
  `{1,2}`,
  `%`,
  `quartz_ledger`,
  `../companies`,
  `E'\\x27'`,
];

async function counts(): Promise<unknown> {
  const { rows } = await stage.pool.query(
    `select (select count(*)::int from companies) as companies, (select count(*)::int from people) as people,
            (select count(*)::int from accounts) as accounts, (select count(*)::int from api_keys) as keys`,
  );
  return rows[0];
}

test('SQL in slugs, ids, paths and keys finds, changes and runs nothing', async () => {
  const { key } = await stage.createAccount(null, null);
  await using api = await stage.startApi();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const before = await counts();
  for (const text of statements) {
    const record = await fetch(`${api.url}/api/v1/companies/${encodeURIComponent(text)}`, { headers });
    expect([text, record.status]).toEqual([text, 404]);
    const body = JSON.stringify({ operation: 'exists', entity_type: 'companies', identifiers: [text] });
    const bulk = await fetch(`${api.url}/api/v1/bulk`, { method: 'POST', headers, body });
    expect([text, bulk.status]).toEqual([text, 200]);
    expect(JSON.stringify(await bulk.json())).not.toContain('"exists":true');
    const stolen = await fetch(`${api.url}/api/v1/usage`, { headers: { authorization: `Bearer ${encodeURI(text)}` } });
    expect([text, stolen.status]).toEqual([text, 401]);
  }
  expect(await counts()).toEqual(before);
});

test('SQL in names of accounts, plans and keys is stored as a name', async () => {
  const env = { DATABASE_URL: stage.databaseUrl };
  for (const text of statements.filter((name) => name.trim() === name)) {
    const created = await entitySearch(['accounts', 'create', '--plan', 'starter', '--', text], env);
    expect([text, created.code]).toEqual([text, 0]);
    const keyed = await entitySearch(['keys', 'create', '--account', text, `--name=${text}`, `--actor=${text}`], env);
    expect([text, keyed.code, JSON.parse(keyed.out).account]).toEqual([text, 0, text]);
  }
  expect(
    (await entitySearch(['plans', 'create', '--per-month', 'none', '--', `a'; drop table plans; --`], env)).code,
  ).toBe(64);
});

test('SQL and COPY syntax in imported lines is stored as data', async () => {
  await using files = await setImportStage();
  const lines = [...statements, '\\.', '\\N', 'a\tb\nc', '\u0001'].map((text, at) => ({
    id: at + 1,
    name: `n ${text.replace(/\p{Cc}/gu, ' ')} n`,
    // A slug holds neither white space nor control characters.
    slug: `slug-${at}-${text.replace(/[\s\p{Cc}]/gu, '')}`,
    overview: text,
    tags: [text],
  }));
  files.files({ 'companies.ndjson': lines });
  expect((await files.import()).code).toBe(0);
  const { length } = await files.rows('select overview from companies where overview = any($1)', [
    lines.map(({ overview }) => overview),
  ]);
  expect(length).toBe(lines.length);
});

/** An address that counts who comes. */
async function trap(): Promise<AsyncDisposable & { readonly url: string; readonly visits: string[] }> {
  const visits: string[] = [];
  const server = await startLoopback((request, response) => {
    visits.push(request.url ?? '');
    response.end('{}');
  });
  return { url: `${server.url}/latest/meta-data`, visits, [Symbol.asyncDispose]: server.close };
}

test('no URL in a request, a payment or a file is ever fetched', async () => {
  await using somewhere = await trap();
  const { url, visits } = somewhere;
  const { key } = await stage.createAccount(null, null);
  await using api = await stage.startApi({ TRUST_PROXY: '1', CORS_ORIGINS: '*' });
  const host = new URL(url).host;
  const headers = {
    authorization: `Bearer ${key}`,
    referer: url,
    origin: url,
    forwarded: `host=${host};for=${host}`,
    'x-forwarded-host': host,
    'x-forwarded-for': host,
    'x-original-url': url,
    'content-type': 'application/json',
  };
  const text = encodeURIComponent(url);
  for (const path of [
    `/api/v1/search?type=all&query=${text}`,
    `/api/v1/search?type=all&cursor=${text}`,
    `/api/v1/suggest?q=${text}`,
    `/api/v1/companies/${text}`,
    `/${url}`,
    `//${host}/`,
    `/docs/${text}`,
  ]) {
    await (await fetch(`${api.url}${path}`, { headers, redirect: 'manual' })).text();
  }
  const body = JSON.stringify({ operation: 'get', entity_type: 'companies', identifiers: [url] });
  await (await fetch(`${api.url}/api/v1/bulk`, { method: 'POST', headers, body })).text();

  await using files = await setImportStage();
  const links = { website: url, logo: url, links: { site: url }, sources: [{ url }] };
  files.files({ 'companies.ndjson': [{ id: 1, name: 'A', slug: 'a', ...links }] });
  await files.import();

  await using paid = await setPaidStage();
  await using sale = await paid.startApi();
  const payer = await newPayer(paid.chain.chain, 1);
  const { header } = await signPayment(payer);
  const payload = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  const changed = {
    ...payload,
    resource: { url, description: url, mimeType: 'application/json' },
    extensions: { bazaar: { info: { url } }, callback: url },
  };
  const sent = Buffer.from(JSON.stringify(changed)).toString('base64');
  expectServed(await sale.get(`q=${text}`, sent));
  expect(visits).toEqual([]);
});

test('the connection pool is clean: no statement of these tests is still running', async () => {
  const { rows } = await withClient(stage.databaseUrl, (client) =>
    client.query(
      `select query from pg_stat_activity where datname = current_database() and query like '%pg_sleep(9)%' and state = 'active' and pid <> pg_backend_pid()`,
    ),
  );
  expect(rows).toEqual([]);
});
