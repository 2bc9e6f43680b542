import { entitySearch } from '../../../dev/lib/command-line.ts';
import { parseApiKey } from '../../../src/access/api-key.ts';
import { forFile } from '../../support/for-file.ts';
import { setConnectedAccountStage } from '../../support/stages/account/connected.ts';

const stage = await forFile(setConnectedAccountStage());
const alice = await stage.signIn('Alice', { plan: 'scale' });

const live = { name: 'production', environment: 'live' };
const statusOf = async (key: string) =>
  (await stage.ask('/api/v1/usage', { headers: { authorization: `Bearer ${key}` } })).status;
const audit = async (keyId: number) =>
  (await stage.pool.query('select action, actor, detail from api_key_audit where key_id = $1 order by id', [keyId]))
    .rows;

test('a new key is shown once, works, and is listed without its secret', async () => {
  const created = await alice.post('keys', live);
  expect(created.status).toBe(201);
  expect(created.headers.get('cache-control')).toBe('no-store');
  const { key, ...row } = created.data;
  expect(parseApiKey(key)).toMatchObject({ ok: true });
  expect(row).toMatchObject({ name: 'production', environment: 'live', state: 'live', expires_at: null });
  expect(key.startsWith(row.prefix)).toBe(true);
  expect(await statusOf(key)).toBe(200);
  const listed = await alice.get('keys');
  expect(listed.data.plan).toBe('scale');
  expect(listed.data.keys.map(({ id }) => id)).toContain(row.id);
  expect(listed.text).not.toContain(key);
  expect(await audit(row.id)).toEqual([
    {
      action: 'created',
      actor: `Alice (session ${alice.sessionId})`,
      detail: { name: 'production', expires_at: null, ip: expect.stringContaining('127.0.0.1') },
    },
  ]);
});

test('a key can be for tests and can expire, and its name is trimmed', async () => {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const { data } = await alice.post('keys', { name: '  trial ', environment: 'test', expires_at });
  expect(data).toMatchObject({ name: 'trial', environment: 'test', expires_at });
  expect(data.key).toMatch(/^es_test_/);
});

test.each<[string, object, string]>([
  ['an empty name', { ...live, name: '   ' }, 'name'],
  ['a name that is too long', { ...live, name: 'x'.repeat(101) }, 'name'],
  ['a name with a line break', { ...live, name: 'one\ntwo' }, 'name'],
  ['a name with a bidirectional override', { ...live, name: 'safe\u202Eevil' }, 'name'],
  ['an invisible name', { ...live, name: '\u2800 \u00ad' }, 'name'],
  ['a name without width', { ...live, name: '\u200b' }, 'name'],
  ['no name', { environment: 'live' }, 'name'],
  ['another environment', { ...live, environment: 'staging' }, 'environment'],
  ['an expiry in the past', { ...live, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ['an expiry in eleven years', { ...live, expires_at: '2090-01-01T00:00:00Z' }, 'expires_at'],
  ['an expiry without a time zone', { ...live, expires_at: '2030-01-01' }, 'expires_at'],
  ['an unknown field', { ...live, scope: 'all' }, 'scope'],
])('%s is refused, and the field named', async (_title, body, path) => {
  const answer = await alice.post('keys', body);
  expect(answer.status).toBe(400);
  expect(answer.details).toEqual([expect.objectContaining({ path })]);
});

test('a name of a hundred characters outside the basic plane is accepted', async () => {
  expect((await alice.post('keys', { ...live, name: '🔑'.repeat(100) })).status).toBe(201);
});

test('a renamed key keeps working, and its event has both names', async () => {
  const { key, id } = (await alice.post('keys', live)).data;
  const renamed = await alice.post(`keys/${id}/name`, { name: ' nightly ' });
  expect([renamed.status, renamed.data]).toMatchObject([200, { id, name: 'nightly', state: 'live' }]);
  expect(await statusOf(key)).toBe(200);
  const detail = { before: { name: 'production' }, after: { name: 'nightly' }, ip: expect.any(String) };
  expect((await audit(id)).at(-1)).toMatchObject({ action: 'changed', detail });
  expect((await alice.post(`keys/${id}/name`, { name: ' ' })).details).toMatchObject([{ path: 'name' }]);
});

test('rotation creates an equivalent key, and the old one works until the overlap ends', async () => {
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const old = (await alice.post('keys', { name: 'turning', environment: 'test', expires_at })).data;
  const rotated = await alice.post(`keys/${old.id}/rotation`, { overlap_hours: 2 });
  expect(rotated.status).toBe(201);
  const { key, replaces, ...row } = rotated.data;
  expect(row).toMatchObject({ name: 'turning', environment: 'test', state: 'live' });
  const life = Date.parse(row.expires_at) - Date.parse(row.created_at);
  expect(Math.abs(life - 30 * 86_400_000)).toBeLessThan(5_000);
  expect(replaces).toMatchObject({ id: old.id, state: 'live' });
  expect(Math.abs(Date.parse(replaces.expires_at) - Date.now() - 7_200_000)).toBeLessThan(10_000);
  expect([await statusOf(old.key), await statusOf(key)]).toEqual([200, 200]);
  expect((await audit(old.id)).at(-1)).toMatchObject({ action: 'changed', detail: { replaced_by: row.id } });
  expect(await audit(row.id)).toMatchObject([{ action: 'created', detail: { replaces: old.id } }]);
});

test('rotation never extends the life of a key, and ends it immediately without an overlap', async () => {
  const expires_at = new Date(Date.now() + 600_000).toISOString();
  const old = (await alice.post('keys', { ...live, expires_at })).data;
  expect((await alice.post(`keys/${old.id}/rotation`, { overlap_hours: 24 })).data.replaces.expires_at).toBe(
    expires_at,
  );
  const second = (await alice.post('keys', live)).data;
  const { replaces } = (await alice.post(`keys/${second.id}/rotation`, { overlap_hours: 0 })).data;
  expect(replaces.state).toBe('expired');
  const again = await alice.post(`keys/${second.id}/rotation`);
  expect([again.status, again.code]).toEqual([404, 'not_found']);
  expect((await alice.post(`keys/${second.id}/rotation`, { overlap_hours: 721 })).status).toBe(400);
});

test('of two concurrent rotations without overlap, one succeeds', async () => {
  const { id } = (await alice.post('keys', live)).data;
  const both = await Promise.all([0, 1].map(() => alice.post(`keys/${id}/rotation`, { overlap_hours: 0 })));
  expect(both.map(({ status }) => status).sort()).toEqual([201, 404]);
});

test('a revoked key stays listed, and revoking it again is harmless', async () => {
  const { id, key } = (await alice.post('keys', live)).data;
  const revoked = await alice.delete(`keys/${id}`);
  expect(revoked.data).toMatchObject({ id, state: 'revoked' });
  expect((await alice.delete(`keys/${id}`)).data.state).toBe('revoked');
  expect((await audit(id)).map(({ action }) => action)).toEqual(['created', 'revoked']);
  expect(await statusOf(key)).toBe(401);
});

test('of concurrent requests for the last permitted key, one succeeds', async () => {
  const carol = await stage.signIn('Carol');
  await stage.pool.query(
    `insert into api_keys (account_id, name, prefix, hash)
     select $1, 'filled', 'es_live_fill', sha256(('carol ' || n)::bytea) from generate_series(1, 99) as n`,
    [carol.accountId],
  );
  const answers = await Promise.all(Array.from({ length: 5 }, () => carol.post('keys', live)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.code).toBe('too_many');
  const { id } = answers.find(({ status }) => status === 201)?.data ?? {};
  expect((await carol.post(`keys/${id}/rotation`)).code).toBe('too_many');
  expect((await carol.post(`keys/${id}/rotation`, { overlap_hours: 0 })).status).toBe(201);
});

test('an account can create at most sixty keys an hour', async () => {
  const dave = await stage.signIn('Dave');
  const statuses = [];
  for (let at = 0; at < 61; at += 1) statuses.push((await dave.post('keys', live)).status);
  expect(statuses).toEqual([...Array(60).fill(201), 429]);
});

test('the command line can rotate keys, too', async () => {
  const { id, key } = (await alice.post('keys', live)).data;
  const run = (...args: readonly string[]) => entitySearch(args, { DATABASE_URL: stage.databaseUrl });
  const rotated = JSON.parse((await run('keys', 'rotate', String(id), '--json')).out);
  expect(rotated).toMatchObject({ account: 'Alice', name: 'production', state: 'live', replaces: id });
  expect([await statusOf(rotated.key), await statusOf(key)]).toEqual([200, 200]);
  expect(Date.parse(rotated.old_expires_at) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  await run('keys', 'revoke', String(id));
  expect(await run('keys', 'rotate', String(id))).toMatchObject({ code: 1 });
  expect(await run('keys', 'rotate', '999999')).toMatchObject({ code: 1 });
});
