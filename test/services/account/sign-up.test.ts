import { newWallet, signedBy, signInWith } from '../../support/account/wallets.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccountStage } from '../../support/stages/account/account.ts';

const stage = await forFile(setAccountStage());

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

  test('a wallet gets an account of its own, named after it, on the plan for that', async () => {
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

  test('its name is longer where another account has the short one', async () => {
    await using api = await stage.startApi(open);
    const wallet = newWallet();
    const address = wallet.address.toLowerCase();
    await stage.createAccount({ name: `${address.slice(0, 6)}…${address.slice(-4)}` });
    const { data } = await signInWith(api.browser(), wallet);
    expect(data.account.name).toBe(`${address.slice(0, 10)}…${address.slice(-8)}`);
  });

  test('new accounts per address and hour are limited; existing ones can still sign in', async () => {
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
    expect(refused.headers.get('retry-after')).toBe('1800');
    expect((await near(wallet)).status).toBe(200);
    expect((await from('192.0.2.2')(newWallet())).status).toBe(200);
  });

  test('without such a plan no account is opened, and the log names the reason', async () => {
    await using api = await stage.startApi({ ...open, SIGN_UP_PLAN: 'absent' });
    const wallet = newWallet();
    expect(await signInWith(api.browser(), wallet)).toMatchObject({ status: 403, code: 'sign_up_closed' });
    expect(api.log).toContainEqual(
      expect.objectContaining({ level: 'error', plan: 'absent', msg: expect.stringContaining('SIGN_UP_PLAN') }),
    );
    expect(await accountsOf(wallet.address)).toEqual([]);
  });

  test('a plan that is not active is none', async () => {
    await stage.pool.query(`insert into plans (name, active) values ('over', false)`);
    await using api = await stage.startApi({ ...open, SIGN_UP_PLAN: 'over' });
    expect(await signInWith(api.browser(), newWallet())).toMatchObject({ status: 403, code: 'sign_up_closed' });
  });
});
