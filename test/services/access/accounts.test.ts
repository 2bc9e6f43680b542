import pg from 'pg';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { hashApiKey, parseApiKey } from '../../../src/access/api-key.ts';
import { hashToken } from '../../../src/account/tokens.ts';
import { succeed } from '../../support/commands.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';

const database = await forFile(createTestDatabase());
const client = await closedAfterFile(new pg.Client({ connectionString: database.url }), (opened) => opened.end());
await client.connect();

const run = (...args: readonly string[]) => entitySearch(args, { DATABASE_URL: database.url });
const result = async (...args: readonly string[]) =>
  JSON.parse((await succeed({ DATABASE_URL: database.url }, ...args)).out);

test('plans are listed, created, changed and deactivated', async () => {
  expect((await result('plans')).map((plan: { name: string }) => plan.name)).toEqual(['growth', 'scale', 'starter']);
  expect(await result('plans', 'create', 'partner', '--per-minute', '600')).toEqual({
    name: 'partner',
    calls_per_minute: 600,
    calls_per_month: null,
    active: true,
  });
  expect(await result('plans', 'change', 'partner', '--per-month', '7')).toMatchObject({
    calls_per_minute: 600,
    calls_per_month: 7,
  });
  expect(await result('plans', 'change', 'partner', '--per-minute', 'none', '--per-month', 'none')).toMatchObject({
    calls_per_minute: null,
    calls_per_month: null,
  });
  expect(await result('plans', 'change', 'partner', '--inactive')).toMatchObject({ active: false });
  expect(await result('plans', 'change', 'partner', '--active')).toMatchObject({ active: true });
});

test.each<[number, readonly string[]]>([
  [1, ['plans', 'create', 'starter', '--per-month', 'none']],
  [64, ['plans', 'create', 'nothing-said']],
  [64, ['plans', 'change', 'starter', '--active', '--inactive']],
  [64, ['plans', 'create', 'Upper Case', '--per-month', 'none']],
  [64, ['plans', 'create', 'zero', '--per-minute', '0']],
  [64, ['plans', 'create', 'huge', '--per-minute', '2147483648']],
  [1, ['plans', 'change', 'absent', '--per-minute', '1']],
  [64, ['plans', 'change', 'starter']],
  [1, ['accounts', 'create', 'No Plan', '--plan', 'absent']],
  [64, ['accounts', 'create', ' blank', '--plan', 'starter']],
  [64, ['accounts', 'create', 'Planless']],
  [1, ['accounts', 'change', 'absent', '--inactive']],
  [64, ['accounts', 'change', 'absent']],
  [64, ['accounts', 'change', 'absent', '--role', 'king']],
  [1, ['accounts', 'invite', 'Nobody']],
  [1, ['accounts', 'invite', 'Nobody', '--plan', 'absent']],
  [64, ['accounts', 'invite', ' blank', '--plan', 'starter']],
  [1, ['keys', 'create', '--account', 'absent', '--name', 'x']],
  [64, ['keys', 'create', '--account', 'absent', '--name', 'x', '--expires', '2030-02-30']],
  [64, ['keys', 'create', '--account', 'absent', '--name', 'x', '--expires', 'tomorrow']],
  [1, ['keys', 'revoke', '999']],
  [64, ['keys', 'revoke', 'abc']],
  [64, ['unknown']],
])('exit code %i and a reason for: %j', async (code, args) => {
  const answer = await run(...args);
  expect([answer.code, answer.out]).toEqual([code, '']);
  expect(answer.err).toMatch(/^error: /);
});

test('a key is shown once, stored as a hash, and each change of it is in the audit log with its actor', async () => {
  await result('accounts', 'create', 'Example', '--plan', 'starter');
  const made = await result('keys', 'create', '--account', 'Example', '--name', 'one', '--actor', 'ann');
  expect(parseApiKey(made.key).ok).toBe(true);
  expect(made).toMatchObject({ account: 'Example', name: 'one', state: 'live', prefix: made.key.slice(0, 12) });
  const { rows } = await client.query('select *, api_keys::text as all from api_keys where id = $1', [made.id]);
  expect(rows[0].hash).toEqual(hashApiKey(made.key));
  expect(rows[0].all).not.toContain(made.key.slice(12));

  expect(await result('accounts')).toMatchObject([{ name: 'Example', live_keys: 1 }]);
  expect(await result('keys', 'revoke', String(made.id), '--actor', 'cy')).toMatchObject({ state: 'revoked' });
  await result('keys', 'revoke', String(made.id), '--actor', 'cy');
  const audit = await client.query('select action, actor from api_key_audit where key_id = $1 order by id', [made.id]);
  expect(audit.rows.map(({ action, actor }) => `${action} by ${actor}`)).toEqual(['created by ann', 'revoked by cy']);
  const listed = JSON.stringify(await result('keys'));
  expect(listed).not.toContain(made.key);
  expect(listed).not.toContain('hash');
});

test('a test key has its own prefix, and an expiry if one was given', async () => {
  await result('accounts', 'create', 'Trial', '--plan', 'growth');
  const made = await result('keys', 'create', '--account', 'Trial', '--name', 'x', '--test', '--expires', '2100-01-01');
  expect(made.key).toMatch(/^es_test_/);
  expect(made.expires_at).toBe('2100-01-01T00:00:00.000Z');
});

test('an account changes its plan and can be deactivated', async () => {
  await result('accounts', 'create', 'Mover', '--plan', 'starter');
  expect(await result('accounts', 'change', 'Mover', '--plan', 'scale', '--inactive')).toMatchObject({
    plan: 'scale',
    active: false,
  });
});

/** The audit lines of an account, oldest first. */
async function events(name: string): Promise<readonly string[]> {
  const { rows } = await client.query(
    `select e.actor || ' ' || e.action || ' ' || e.detail as line
     from account_events e join accounts a on a.id = e.account_id where a.name = $1 order by e.id`,
    [name],
  );
  return rows.map(({ line }) => line);
}

test('each change of an account is an event with its actor, and a change without effect adds none', async () => {
  await result('accounts', 'create', 'Watched', '--plan', 'starter', '--actor', 'ann');
  const change = (...args: readonly string[]) => result('accounts', 'change', 'Watched', '--actor', 'bob', ...args);
  expect(await change('--plan', 'growth', '--role', 'operator')).toMatchObject({ plan: 'growth', role: 'operator' });
  expect((await result('accounts')).find(({ name }: { name: string }) => name === 'Watched').role).toBe('operator');
  await change('--inactive');
  await change('--inactive');
  await change('--active', '--role', 'member');
  expect(await events('Watched')).toEqual([
    'ann account_created {"plan": "starter"}',
    'bob plan_changed {"after": "growth", "before": "starter"}',
    'bob role_changed {"after": "operator", "before": "member"}',
    'bob suspended {}',
    'bob role_changed {"after": "member", "before": "operator"}',
    'bob reinstated {}',
  ]);
});

describe('An invitation', () => {
  test('creates the missing account, and is a link whose hash alone is stored', async () => {
    const made = await result('accounts', 'invite', 'Guest', '--plan', 'growth', '--actor', 'ann');
    expect(made).toMatchObject({ account: 'Guest', plan: 'growth', created: true });
    expect(made.link).toMatch(/^http:\/\/localhost:3000\/account\/invitation#[\w-]{43}$/);
    const [, token] = made.link.split('#');
    const { rows } = await client.query(
      `select hash, created_by, used_at, i::text as text, expires_at - i.created_at = interval '7 days' as week
       from account_invitations i`,
    );
    expect(rows).toMatchObject([{ hash: hashToken(token), created_by: 'ann', used_at: null, week: true }]);
    expect(rows[0].text).not.toContain(token);
    expect(await events('Guest')).toEqual([
      'ann account_created {"plan": "growth"}',
      expect.stringMatching(/^ann invitation_created \{"expires_at": "[^"]+", "invitation": 1\}$/),
    ]);
  });

  test('to an existing account keeps its plan, which may be omitted but may not differ', async () => {
    await result('accounts', 'create', 'Host', '--plan', 'scale');
    expect(await result('accounts', 'invite', 'Host')).toMatchObject({ plan: 'scale', created: false });
    expect(await result('accounts', 'invite', 'Host', '--plan', 'scale')).toMatchObject({ created: false });
    const refused = await run('accounts', 'invite', 'Host', '--plan', 'starter');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is on the plan scale')]);
    await result('accounts', 'change', 'Host', '--inactive');
    const suspended = await run('accounts', 'invite', 'Host');
    expect([suspended.code, suspended.err]).toEqual([1, expect.stringContaining('is suspended')]);
  });

  test('is a link to the page at PUBLIC_URL', async () => {
    const env = { DATABASE_URL: database.url, PUBLIC_URL: 'https://search.example/api/' };
    const { out } = await entitySearch(['accounts', 'invite', 'Linked', '--plan', 'starter'], env);
    expect(JSON.parse(out).link).toMatch(/^https:\/\/search\.example\/account\/invitation#/);
  });
});

test.each([
  [[]],
  [['import']],
  [['plans', 'create']],
  [['accounts', 'change']],
  [['accounts', 'invite']],
  [['keys', 'create']],
  [['migrate']],
])('help of %j has examples and exits with 0', async (command) => {
  const help = await run(...command, '--help');
  expect([help.code, help.out]).toEqual([0, expect.stringContaining('Examples:')]);
});
