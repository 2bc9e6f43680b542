import { companyRecord } from '../../../src/kinds/companies.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { expectError, json } from '../../support/api/in-process.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccessStage } from '../../support/stages/access.ts';

const stage = await forFile(setAccessStage());
const { url } = await forFile(stage.startApi());
const { key } = await stage.createAccount(null, null);

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } });
}

async function idOf(identifier: string): Promise<unknown> {
  const body = await json<{ data?: { id: number } }>(get(`/api/v1/companies/${identifier}`));
  return body.data?.id;
}

test.each([...kindNames])('%s: one whole record in the envelope, without Elasticsearch', async (kind) => {
  const response = await get(`/api/v1/${kind}/1`);
  expect(response.status).toBe(200);
  const body = await json<{ success: boolean; data: { name: string }; message: string; meta: unknown }>(response);
  kinds[kind].record.parse(body.data);
  expect(body).toMatchObject({
    success: true,
    message: `Found ${body.data.name}.`,
    meta: { requestId: response.headers.get('x-request-id'), version: 'v1' },
  });
});

test('a slug returns the same record', async () => {
  const byId = await json<{ data: unknown }>(get('/api/v1/companies/1'));
  const bySlug = await json<{ data: unknown }>(get('/api/v1/companies/quartz-ledger'));
  expect(bySlug.data).toEqual(byId.data);
  companyRecord.parse(bySlug.data);
});

test('a number is first looked up as an id, then as a slug', async () => {
  // Company 7 has the slug "8", and there is a company 8.
  expect(await idOf('8')).toBe(8);
  await stage.pool.query(`update companies set slug = '9' where id = 7`);
  expect(await idOf('9')).toBe(7);
  await stage.pool.query(`update companies set slug = '8' where id = 7`);
});

test.each([
  ...['999', 'nowhere', '01', '1.0', '-1', '9007199254740993', '99999999999999999999999', '%00', '%E0%A4%A'],
  ...['%F0%9F%A6%84', encodeURIComponent(`' or 1=1 --`), 'x'.repeat(2_000)],
])('%s is 404', async (identifier) => {
  await expectError(get(`/api/v1/companies/${identifier}`), 404, 'not_found');
});

test('fields restrict the record, in the requested order, always with id', async () => {
  const { data } = await json<{ data: object }>(get('/api/v1/companies/1?fields=slug,,name,&fields=tags'));
  expect(JSON.stringify(data)).toBe('{"id":1,"slug":"quartz-ledger","name":"Quartz Ledger","tags":["Ledgers"]}');
});

test.each(['fields=', 'fields=nonsense', 'fields=search', 'fields=name,__proto__', 'other=1'])(
  '?%s is 400',
  async (query) => {
    await expectError(get(`/api/v1/companies/1?${query}`), 400, 'invalid_parameter');
  },
);

describe('ETag', () => {
  test('an unchanged record is 304 for a caller who has it, and costs a call as well', async () => {
    const first = await get('/api/v1/companies/2');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.headers.get('vary')).toMatch(/Authorization/);
    const again = await get('/api/v1/companies/2', { 'if-none-match': `"other", ${tag}` });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    expect(again.headers.get('etag')).toBe(tag);
    expect(again.headers.get('x-request-cost')).toBe('1');
  });

  test('differs for a changed record, and for other fields', async () => {
    const tag = (await get('/api/v1/companies/2')).headers.get('etag') ?? '';
    expect((await get('/api/v1/companies/2?fields=name', { 'if-none-match': tag })).status).toBe(200);
    await stage.pool.query(`update companies set tagline = 'Moves' where id = 2`);
    const changed = await get('/api/v1/companies/2', { 'if-none-match': tag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });
});
