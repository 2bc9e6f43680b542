import { hashToken, newToken } from '../../../src/account/tokens.ts';
import { inviteToAccount } from '../../../src/postgres/access/invitation-admin.ts';
import { newWallet, signedBy, signInWith } from '../../support/account/wallets.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccountStage } from '../../support/stages/account/account.ts';

const stage = await forFile(setAccountStage());
const api = await forFile(stage.startApi({}, { limits: { console: { attempts: { perMinute: 1_000_000 } } } }));

let accounts = 0;
async function walletWithAccount(changes: { readonly active?: boolean } = {}) {
  accounts += 1;
  const wallet = newWallet();
  const id = await stage.createAccount({ name: `Account ${accounts}`, wallets: [wallet.address], ...changes });
  return { wallet, id, name: `Account ${accounts}` };
}

const failed = { status: 401, code: 'sign_in_failed' };

describe('A wallet of an account', () => {
  test('signs in, and stays signed in until it signs out', async () => {
    const { wallet, id, name } = await walletWithAccount();
    const browser = api.browser();
    expect((await browser.get('session')).data).toMatchObject({ signed_in: false, sign_up: 'invited' });
    const signedIn = await signInWith(browser, wallet);
    expect(signedIn.status).toBe(200);
    expect(signedIn.data).toMatchObject({
      signed_in: true,
      account: { id, name, plan: 'starter', role: 'member', active: true },
      session: { method: 'wallet', confirmed: false },
    });
    expect((await browser.get('session')).data).toEqual(signedIn.data);
    expect((await browser.post('sign-out')).status).toBe(200);
    expect((await browser.get('session')).data).toMatchObject({ signed_in: false });
    expect([...browser.cookies.keys()]).toEqual([]);
    const actor = `wallet ${wallet.address.toLowerCase()}`;
    expect(await stage.events(id)).toEqual([
      `${actor}: signed_in`,
      `${name} (session ${signedIn.data.session.id}): signed_out`,
    ]);
  });

  test('gets cookies that no script can read, no other site can send, and that end with the session', async () => {
    const { wallet } = await walletWithAccount();
    const browser = api.browser();
    const challenge = await browser.post('wallets/challenge', { address: wallet.address, purpose: 'sign-in' });
    const attributes = /; path=\/; expires=[^;]+; samesite=strict; httponly$/i;
    expect(challenge.headers.getSetCookie()).toEqual([expect.stringMatching(attributes)]);
    const signed = await signInWith(browser, wallet);
    const [session] = signed.headers.getSetCookie();
    expect(session).toMatch(/^entity_search_session=[\w-]{43}; /);
    expect(session).toMatch(attributes);
    expect(signed.headers.get('cache-control')).toBe('no-store');
  });

  test('is refused if its account is suspended', async () => {
    const { wallet, id } = await walletWithAccount({ active: false });
    const browser = api.browser();
    expect(await signInWith(browser, wallet)).toMatchObject({ status: 403, code: 'account_suspended' });
    expect((await browser.get('session')).data).toMatchObject({ signed_in: false });
    expect(await stage.events(id)).toEqual([]);
  });

  test('starts a new session each time, and ends the previous one of the browser', async () => {
    const { wallet } = await walletWithAccount();
    const other = await walletWithAccount();
    const browser = api.browser();
    await signInWith(browser, wallet);
    const before = browser.cookies.get('entity_search_session') ?? '';
    await signInWith(browser, other.wallet);
    expect(browser.cookies.get('entity_search_session')).not.toBe(before);
    const planted = api.browser();
    planted.cookies.set('entity_search_session', before);
    expect((await planted.get('session')).data).toMatchObject({ signed_in: false });
  });
});

describe('A signature is refused', () => {
  test('if it is repeated', async () => {
    const { wallet } = await walletWithAccount();
    const browser = api.browser();
    const signed = await signedBy(browser, wallet);
    const cookies = [...browser.cookies];
    expect(await browser.post('sign-in/wallet', signed)).toMatchObject({ status: 200 });
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect(await browser.post('sign-in/wallet', signed)).toMatchObject(failed);
  });

  test('from a browser that did not request the message', async () => {
    const { wallet } = await walletWithAccount();
    const signed = await signedBy(api.browser(), wallet);
    expect(await api.browser().post('sign-in/wallet', signed)).toMatchObject(failed);
    const other = api.browser();
    await signedBy(other, wallet);
    expect(await other.post('sign-in/wallet', signed)).toMatchObject(failed);
  });

  test('of another wallet, which uses the message up', async () => {
    const { wallet } = await walletWithAccount();
    const browser = api.browser();
    const signed = await signedBy(browser, wallet);
    const signature = await newWallet().signMessage(signed);
    expect(await browser.post('sign-in/wallet', { ...signed, signature })).toMatchObject(failed);
    expect(await browser.post('sign-in/wallet', signed)).toMatchObject(failed);
  });

  test.each<[string, (text: string) => string]>([
    ['another address', (text) => text.replace(/0x[0-9a-fA-F]{40}/, `0x${'1'.repeat(40)}`)],
    ['another domain', (text) => text.replace(/^\S+/, 'evil.example')],
    ['another URI', (text) => text.replace(/^URI: .*$/m, 'URI: https://evil.example/')],
    ['another nonce', (text) => text.replace(/Nonce: .{4}/, 'Nonce: 0000')],
    ['another chain', (text) => text.replace('Chain ID: 8453', 'Chain ID: 1')],
    ['another statement', (text) => text.replace('Sign in', 'Sign in now')],
    ['a later expiry', (text) => text.replace(/^Expiration Time: .*$/m, 'Expiration Time: 2999-01-01T00:00:00.000Z')],
    ['an earlier issue time', (text) => text.replace(/^Issued At: .*$/m, 'Issued At: 2020-01-01T00:00:00.000Z')],
    ['an extra line', (text) => `${text}\nResources:\n- https://evil.example/`],
    ['an extra byte', (text) => `${text}\n`],
    ['no message at all', () => 'Please sign this.'],
  ])('over a changed message: %s', async (_, change) => {
    const { wallet } = await walletWithAccount();
    const browser = api.browser();
    const { message: given } = await signedBy(browser, wallet);
    const message = change(given);
    expect(message).not.toBe(given);
    const signature = await wallet.signMessage({ message });
    expect(await browser.post('sign-in/wallet', { message, signature })).toMatchObject(failed);
  });

  test("by an attacker's key over a message with the victim's address", async () => {
    const { wallet, id } = await walletWithAccount();
    const attacker = newWallet();
    const browser = api.browser();
    const thief = { address: wallet.address, signMessage: attacker.signMessage };
    expect(await signInWith(browser, thief)).toMatchObject(failed);
    const message = (await signedBy(browser, attacker)).message.replace(attacker.address, wallet.address);
    const signature = await attacker.signMessage({ message });
    expect(await browser.post('sign-in/wallet', { message, signature })).toMatchObject(failed);
    expect(await stage.events(id)).toEqual([]);
  });

  test('at another address of the service than the message names', async () => {
    await using other = await stage.startApi();
    const { wallet } = await walletWithAccount();
    const [browser, elsewhere] = [api.browser(), other.browser()];
    const signed = await signedBy(browser, wallet);
    // The browser's cookie is sent to every port of a host.
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    expect(await elsewhere.post('sign-in/wallet', signed)).toMatchObject(failed);
  });

  test('if it accepts an invitation', async () => {
    const { wallet } = await walletWithAccount();
    const browser = api.browser();
    const token = newToken();
    const invitation = { account: 'Inviting', plan: 'starter', hash: hashToken(token), validDays: 7 };
    expect(await inviteToAccount(stage.pool, invitation, 'ann')).toMatchObject({ ok: true });
    const signed = await signedBy(browser, wallet, 'invitation', token);
    expect(await browser.post('sign-in/wallet', signed)).toMatchObject(failed);
  });

  test('after ten minutes', async () => {
    const { wallet } = await walletWithAccount();
    const browser = api.browser();
    const signed = await signedBy(browser, wallet);
    await stage.pool.query(`update account_challenges set expires_at = now() where content = $1`, [signed.message]);
    expect(await browser.post('sign-in/wallet', signed)).toMatchObject(failed);
    // The next message that is asked for takes those along that have expired.
    await signedBy(browser, wallet);
    const { rows } = await stage.pool.query('select from account_challenges where expires_at <= now()');
    expect(rows).toEqual([]);
  });
});

test.each([
  [{ purpose: 'sign-in' }, 'address'],
  [{ address: '0x12', purpose: 'sign-in' }, 'address'],
  [{ address: '0x52908400098527886E0F7030069857D2E4169Ee7', purpose: 'sign-in' }, 'address'],
  [{ address: `0x${'1'.repeat(40)}`, purpose: 'pay' }, 'purpose'],
  [{ address: `0x${'1'.repeat(40)}`, purpose: 'sign-in', invitation: 'x' }, 'invitation'],
  [{ address: `0x${'1'.repeat(40)}`, purpose: 'sign-in', more: 1 }, 'more'],
])('a malformed request for a challenge is refused: %j', async (asked, path) => {
  const answer = await api.browser().post('wallets/challenge', asked);
  expect(answer).toMatchObject({ status: 400, code: 'invalid_parameter', error: expect.stringContaining(`"${path}"`) });
});

test.each(['confirm', 'add'])('a visitor gets no challenge for the purpose %s', async (purpose) => {
  const answer = await api.browser().post('wallets/challenge', { address: newWallet().address, purpose });
  expect(answer).toMatchObject({ status: 401, code: 'not_signed_in' });
});

test('attempts per address and minute are limited, and a refusal has the time to wait', async () => {
  await using strict = await stage.startApi({}, { limits: { console: { attempts: { perMinute: 3 } } } });
  const asked = { address: newWallet().address, purpose: 'sign-in' };
  const statuses = [];
  for (let turn = 0; turn < 3; turn += 1)
    statuses.push((await strict.browser().post('wallets/challenge', asked)).status);
  expect(statuses).toEqual([200, 200, 200]);
  const refused = await strict.browser().post('sign-in/wallet', {});
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(refused.headers.get('retry-after')).toMatch(/^(?:1\d|20)$/);
});

const accountsOf = async (address: string) =>
  (
    await stage.pool.query<{ id: number; name: string; plan: string }>(
      `select a.id, a.name, a.plan from account_wallets w join accounts a on a.id = w.account_id
       where w.address = lower($1)`,
      [address],
    )
  ).rows;

describe.each(['invited', 'closed'])('With SIGN_UP=%s', (signUp) => {
  test('a wallet without an account gets none', async () => {
    await using api = await stage.startApi({ SIGN_UP: signUp });
    const browser = api.browser();
    const wallet = newWallet();
    expect((await browser.get('session')).data.sign_up).toBe(signUp);
    expect(await signInWith(browser, wallet)).toMatchObject({ status: 403, code: 'sign_up_closed' });
    expect((await browser.get('session')).data.signed_in).toBe(false);
    expect(await accountsOf(wallet.address)).toEqual([]);
  });
});

describe('With SIGN_UP=open', () => {
  const open = { SIGN_UP: 'open' };

  test('a wallet gets its own account, named after it, on the plan for sign-ups', async () => {
    await using api = await stage.startApi({ ...open, SIGN_UP_PLAN: 'growth' });
    const wallet = newWallet();
    const first = await signInWith(api.browser(), wallet);
    const address = wallet.address.toLowerCase();
    const name = `${address.slice(0, 6)}…${address.slice(-4)}`;
    expect(first).toMatchObject({ status: 200, data: { account: { name, plan: 'growth', role: 'member' } } });
    const again = await signInWith(api.browser(), wallet);
    expect(again.data.account).toEqual(first.data.account);
    const events = await stage.events(first.data.account.id);
    expect(events.slice(0, 3)).toEqual(
      ['account_opened', 'wallet_added', 'signed_in'].map((action) => `wallet ${address}: ${action}`),
    );
  });

  test("the account's name is longer if another account has the short one", async () => {
    await using api = await stage.startApi(open);
    const wallet = newWallet();
    const address = wallet.address.toLowerCase();
    await stage.createAccount({ name: `${address.slice(0, 6)}…${address.slice(-4)}` });
    const { data } = await signInWith(api.browser(), wallet);
    expect(data.account.name).toBe(`${address.slice(0, 10)}…${address.slice(-8)}`);
  });

  test('new accounts per address and hour are limited, and existing ones can still sign in', async () => {
    const limits = { console: { attempts: { newAccountsPerHour: 2 } } };
    await using api = await stage.startApi({ ...open, TRUST_PROXY: '1' }, { limits });
    const from = (ip: string) => async (wallet: ReturnType<typeof newWallet>) => {
      const browser = api.browser();
      return browser.post('sign-in/wallet', await signedBy(browser, wallet), { 'x-forwarded-for': ip });
    };
    const wallet = newWallet();
    const near = from('192.0.2.1');
    expect([(await near(wallet)).status, (await near(newWallet())).status]).toEqual([200, 200]);
    const refused = await near(newWallet());
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(refused.headers.get('retry-after')).toMatch(/^(?:1[67]\d\d|1800)$/);
    expect((await near(wallet)).status).toBe(200);
    expect((await from('192.0.2.2')(newWallet())).status).toBe(200);
  });

  test('without the plan for sign-ups, no account is opened, and the log names the reason', async () => {
    await using api = await stage.startApi({ ...open, SIGN_UP_PLAN: 'absent' });
    const wallet = newWallet();
    expect(await signInWith(api.browser(), wallet)).toMatchObject({ status: 403, code: 'sign_up_closed' });
    expect(api.log).toContainEqual(
      expect.objectContaining({ level: 'error', plan: 'absent', msg: expect.stringContaining('SIGN_UP_PLAN') }),
    );
    expect(await accountsOf(wallet.address)).toEqual([]);
  });

  test('an inactive plan counts as missing', async () => {
    await stage.pool.query(`insert into plans (name, active) values ('over', false)`);
    await using api = await stage.startApi({ ...open, SIGN_UP_PLAN: 'over' });
    expect(await signInWith(api.browser(), newWallet())).toMatchObject({ status: 403, code: 'sign_up_closed' });
  });
});
