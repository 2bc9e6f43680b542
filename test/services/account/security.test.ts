import type { Browser } from '../../support/account/browser.ts';
import { newWallet, signedBy, signInWith } from '../../support/account/wallets.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccountStage } from '../../support/stages/account/account.ts';

const stage = await forFile(setAccountStage());
const limits = {
  console: { attempts: { perMinute: 1_000_000 }, max: { wallets: 3 }, sessions: { perAccountMax: 3 } },
};
const api = await forFile(stage.startApi({}, { limits }));

let accounts = 0;

/** Signs in a person with one wallet. */
async function member() {
  accounts += 1;
  const wallet = newWallet();
  const name = `Member ${accounts}`;
  const id = await stage.createAccount({ name, wallets: [wallet.address] });
  const { session, cookie } = await stage.signIn(id);
  const browser = api.browser({ session, cookie });
  const confirm = async () =>
    browser.post('session/confirmation', { wallet: await signedBy(browser, wallet, 'confirm') });
  return { id, name, wallet, browser, sessionId: session.sessionId, confirm };
}

const add = async (browser: Browser, wallet = newWallet()) =>
  browser.post('wallets', await signedBy(browser, wallet, 'add'));
const unconfirmed = { status: 403, code: 'confirmation_required' };

describe('Wallets', () => {
  test('are added with a fresh signature of the account and one of their own, and can then sign in', async () => {
    const { id, name, browser, sessionId, confirm } = await member();
    const second = newWallet();
    const signed = await signedBy(browser, second, 'add');
    expect(signed.message).toContain(`Add this wallet to the account ${name} (number ${id}) at Entity Search.`);
    expect(await browser.post('wallets', signed)).toMatchObject(unconfirmed);
    const confirmed = await confirm();
    expect(confirmed).toMatchObject({ status: 200, data: { confirmed: true } });
    expect(Date.parse(confirmed.data.until) - Date.now()).toBeGreaterThan(290_000);
    // The message was not used up by what was refused.
    expect(await browser.post('wallets', signed)).toMatchObject({ status: 201 });
    expect((await browser.get('session')).data.session.confirmed).toBe(false);
    expect(await signInWith(api.browser(), second)).toMatchObject({ status: 200, data: { account: { id } } });
    const actor = `${name} (session ${sessionId})`;
    expect(await stage.events(id)).toEqual([
      'test: signed_in',
      `${actor}: confirmed`,
      `${actor}: wallet_added`,
      `wallet ${second.address.toLowerCase()}: signed_in`,
    ]);
  });

  test('need a confirmation that is at most five minutes old, for this session and account', async () => {
    const { id, browser, confirm } = await member();
    await confirm();
    const other = api.browser(await stage.signIn(id));
    expect(await add(other)).toMatchObject(unconfirmed);
    await stage.pool.query('update account_sessions set confirmed_until = now() where account_id = $1', [id]);
    expect(await add(browser)).toMatchObject(unconfirmed);
    const stranger = await member();
    const signed = await signedBy(browser, stranger.wallet, 'confirm');
    const refused = await browser.post('session/confirmation', { wallet: signed });
    expect(refused).toMatchObject({ status: 401, code: 'sign_in_failed' });
  });

  test('cannot be added by a signature for another purpose or in another account', async () => {
    const { browser, wallet, confirm } = await member();
    const failed = { status: 401, code: 'sign_in_failed' };
    const sent = await signedBy(browser, wallet, 'sign-in');
    expect(await browser.post('session/confirmation', { wallet: sent })).toMatchObject(failed);
    await confirm();
    expect(await browser.post('wallets', await signedBy(browser, newWallet(), 'confirm'))).toMatchObject(failed);
    expect(await browser.post('sign-in/wallet', await signedBy(browser, wallet, 'add'))).toMatchObject(failed);
    const signed = await signedBy(browser, newWallet(), 'add');
    const stranger = await member();
    await stranger.confirm();
    stranger.browser.cookies.set('entity_search_browser', browser.cookies.get('entity_search_browser') ?? '');
    expect(await stranger.browser.post('wallets', signed)).toMatchObject(failed);
    expect(await browser.post('sign-in/wallet', await signedBy(browser, wallet, 'confirm'))).toMatchObject(failed);
  });

  test('belong to one account', async () => {
    const { browser, confirm } = await member();
    const { wallet } = await member();
    await confirm();
    expect(await add(browser, wallet)).toMatchObject({ status: 409, code: 'already_registered' });
  });

  test('are limited in number per account', async () => {
    const { browser, confirm } = await member();
    for (const status of [201, 201, 409]) {
      await confirm();
      expect(await add(browser)).toMatchObject({ status, ...(status === 409 ? { code: 'too_many' } : {}) });
    }
  });

  test('are removed with a confirmation, except the last one', async () => {
    const { id, browser, wallet, confirm } = await member();
    const { data } = await browser.get('security');
    expect(data.wallets).toMatchObject([{ address: wallet.address.toLowerCase() }]);
    const first = data.wallets[0]?.id;
    await confirm();
    expect(await browser.delete(`wallets/${first}`)).toMatchObject({ status: 409, code: 'last_credential' });
    const second = newWallet();
    await add(browser, second);
    expect(await browser.delete(`wallets/${first}`)).toMatchObject(unconfirmed);
    await confirm();
    expect((await browser.delete(`wallets/${first}`)).status).toBe(200);
    expect(await signInWith(api.browser(), wallet)).toMatchObject({ status: 403, code: 'sign_up_closed' });
    expect((await signInWith(api.browser(), second)).status).toBe(200);
    expect((await stage.events(id)).filter((line) => line.endsWith('wallet_removed'))).toHaveLength(1);
  });

  test('end the other sessions that they started when they are removed', async () => {
    const { browser, confirm } = await member();
    const stolen = newWallet();
    await confirm();
    const { id: removed } = (await add(browser, stolen)).data;
    const thief = api.browser();
    const kept = api.browser();
    expect((await signInWith(thief, stolen)).status).toBe(200);
    const own = newWallet();
    await confirm();
    await add(browser, own);
    expect((await signInWith(kept, own)).status).toBe(200);
    await confirm();
    expect((await browser.delete(`wallets/${removed}`)).status).toBe(200);
    expect(await thief.get('keys')).toMatchObject({ status: 401, code: 'not_signed_in' });
    for (const one of [browser, kept]) expect((await one.get('keys')).status).toBe(200);
  });
});

describe('Sessions', () => {
  test('are listed with their devices, and end immediately when revoked', async () => {
    const { id, browser, sessionId } = await member();
    const other = api.browser(await stage.signIn(id));
    const { sessions } = (await browser.get('security')).data;
    const revoked = `sessions/${sessions[0]?.id}`;
    expect(sessions).toMatchObject([
      { current: false, method: 'wallet', ip: '127.0.0.1', user_agent: 'tests' },
      { current: true, id: sessionId },
    ]);
    expect((await browser.delete(revoked)).status).toBe(200);
    expect(await other.get('security')).toMatchObject({ status: 401, code: 'not_signed_in' });
    expect(await browser.delete(revoked)).toMatchObject({ status: 404, code: 'not_found' });
    expect((await browser.get('security')).data.sessions).toHaveLength(1);
  });

  test('all end when their owner signs out everywhere', async () => {
    const { id, browser } = await member();
    const others = [await stage.signIn(id), await stage.signIn(id)].map((signedIn) => api.browser(signedIn));
    expect((await browser.post('sign-out-everywhere')).data).toEqual({ sessions: 3 });
    for (const each of [browser, ...others]) expect((await each.get('session')).data.signed_in).toBe(false);
  });

  test('are limited per account, and a new one ends the least recently used', async () => {
    const { id, wallet, browser, sessionId } = await member();
    const other = api.browser(await stage.signIn(id));
    const third = api.browser(await stage.signIn(id));
    await stage.pool.query(
      `update account_sessions set last_seen_at = now() - interval '1 h' where id =
      (select id from account_sessions where account_id = $1 order by id offset 1 limit 1)`,
      [id],
    );
    await signInWith(api.browser(), wallet);
    const signedIn = await Promise.all([browser, other, third].map((each) => each.get('session')));
    expect(signedIn.map(({ data }) => data.signed_in)).toEqual([true, false, true]);
    expect((await browser.get('security')).data.sessions).toHaveLength(3);
    const { rows } = await stage.pool.query(
      `select actor, detail from account_events where account_id = $1 and action = 'session_revoked'`,
      [id],
    );
    const ended = { session: sessionId + 1, reason: 'more than 3 sessions' };
    expect(rows).toEqual([{ actor: expect.any(String), detail: ended }]);
  });

  test.each([
    ['idle for too long', `last_seen_at = now() - interval '12 h'`],
    ['expired', 'expires_at = now()'],
  ])('have ended if they are %s', async (_, change) => {
    const { browser, sessionId } = await member();
    await stage.pool.query(`update account_sessions set ${change} where id = $1`, [sessionId]);
    expect((await browser.get('session')).data.signed_in).toBe(false);
    expect(await browser.get('security')).toMatchObject({ status: 401, code: 'not_signed_in' });
  });

  test('do not become idle while in use', async () => {
    const { browser, sessionId } = await member();
    await stage.pool.query(`update account_sessions set last_seen_at = now() - interval '11 h' where id = $1`, [
      sessionId,
    ]);
    await browser.get('session');
    const { rows } = await stage.pool.query(
      `select last_seen_at > now() - interval '1 min' as seen from account_sessions where id = $1`,
      [sessionId],
    );
    expect(rows).toEqual([{ seen: true }]);
  });

  test('are deleted by the next sign-in once expired', async () => {
    const { sessionId } = await member();
    await stage.pool.query(`update account_sessions set expires_at = now() where id = $1`, [sessionId]);
    await member();
    const { rows } = await stage.pool.query('select from account_sessions where id = $1', [sessionId]);
    expect(rows).toEqual([]);
  });
});

describe('Events', () => {
  test('of the account and its keys are listed together, the newest first, in pages', async () => {
    const { id, browser } = await member();
    await browser.post('keys', { name: 'first', environment: 'live' });
    await stage.pool.query(
      `insert into account_events (account_id, actor, action, at)
       select $1, 'test', 'step_' || n, now() + n * interval '1 s' from generate_series(1, 5) n`,
      [id],
    );
    const actions: string[] = [];
    let before = '';
    do {
      const { data } = await browser.get(`events?limit=3${before}`);
      expect(data.events.length).toBeLessThanOrEqual(3);
      actions.push(...data.events.map(({ action }: { action: string }) => action));
      before = data.next === null ? '' : `&before=${data.next}`;
    } while (before !== '');
    expect(actions).toEqual([...[5, 4, 3, 2, 1].map((n) => `step_${n}`), 'key_created', 'signed_in']);
  });

  test('cannot be changed', async () => {
    await expect(stage.pool.query(`update account_events set actor = 'nobody'`)).rejects.toThrow('never changed');
    await expect(stage.pool.query('delete from account_events')).rejects.toThrow('never changed');
  });
});
