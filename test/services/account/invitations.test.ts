import { hashToken, newToken } from '../../../src/account/tokens.ts';
import { inviteToAccount } from '../../../src/postgres/access/invitation-admin.ts';
import { newPasskey } from '../../support/account/authenticator.ts';
import { newWallet, signedBy, signInWith } from '../../support/account/wallets.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccountStage } from '../../support/stages/account/account.ts';

const stage = await forFile(setAccountStage());
const api = await forFile(
  stage.startApi({}, { limits: { console: { attempts: { perMinute: 1_000_000 }, max: { passkeys: 2 } } } }),
);

/** The token of an invitation, as the command line makes them. */
async function invite(account: string): Promise<string> {
  const token = newToken();
  const invitation = { account, plan: 'growth', hash: hashToken(token), validDays: 7 };
  expect(await inviteToAccount(stage.pool, invitation, 'ann')).toMatchObject({ ok: true });
  return token;
}

const visitor = () => api.browser(undefined, api.origin);
const invalid = { status: 404, code: 'invitation_invalid' };

/** All but the last step of accepting with a passkey. */
async function prepare(token: string, browser = visitor(), passkey = newPasskey(api.origin)) {
  const { options } = (await browser.post('passkeys/challenge', { purpose: 'invitation', invitation: token })).data;
  const made = { name: 'Phone', response: passkey.create(options) };
  return () => browser.post('invitations/accept', { token, passkey: made });
}

async function acceptWithPasskey(...given: Parameters<typeof prepare>) {
  const accept = await prepare(...given);
  return accept();
}

test('a passkey that accepts an invitation is signed in, and can sign in later', async () => {
  const token = await invite('Newcomer');
  const [browser, passkey] = [visitor(), newPasskey(api.origin)];
  expect((await browser.post('invitations/read', { token })).data).toMatchObject({
    account: 'Newcomer',
    plan: 'growth',
  });
  const accepted = await acceptWithPasskey(token, browser, passkey);
  expect(accepted).toMatchObject({
    status: 200,
    data: { signed_in: true, account: { name: 'Newcomer', plan: 'growth' }, session: { method: 'invitation' } },
  });
  expect((await browser.get('session')).data).toEqual(accepted.data);
  const { options } = (await visitor().post('passkeys/challenge', { purpose: 'sign-in' })).data;
  expect(options.challenge).toMatch(/^[\w-]{43}$/);
  const again = visitor();
  const asked = (await again.post('passkeys/challenge', { purpose: 'sign-in' })).data;
  expect((await again.post('sign-in/passkey', { response: passkey.get(asked.options) })).status).toBe(200);
  expect(await stage.events(accepted.data.account.id)).toEqual([
    'ann: account_created',
    'ann: invitation_created',
    'passkey Phone: invitation_accepted',
    'passkey Phone: passkey_added',
    'passkey Phone: signed_in',
    'passkey Phone: signed_in',
  ]);
});

test('a wallet accepts an invitation with a message that names the account', async () => {
  const token = await invite('Wallet Guest');
  const [browser, wallet] = [visitor(), newWallet()];
  const signed = await signedBy(browser, wallet, 'invitation', token);
  expect(signed.message).toContain('Accept an invitation to the account Wallet Guest (number ');
  expect((await browser.post('invitations/accept', { token, wallet: signed })).status).toBe(200);
  expect((await signInWith(visitor(), wallet)).data.account.name).toBe('Wallet Guest');
});

test('a message for one invitation does not accept another, which stays valid', async () => {
  const [one, other] = [await invite('One'), await invite('Other')];
  const browser = visitor();
  const signed = await signedBy(browser, newWallet(), 'invitation', one);
  const refused = await browser.post('invitations/accept', { token: other, wallet: signed });
  expect(refused).toMatchObject({ status: 401, code: 'sign_in_failed' });
  expect((await acceptWithPasskey(other)).status).toBe(200);
  expect((await browser.post('invitations/accept', { token: one, wallet: signed })).status).toBe(200);
});

test('an invitation to a suspended account is refused, and valid again once the account is reinstated', async () => {
  const token = await invite('Paused');
  const suspend = (active: boolean) =>
    stage.pool.query(`update accounts set active = $1 where name = 'Paused'`, [active]);
  const browser = visitor();
  const signed = await signedBy(browser, newWallet(), 'invitation', token);
  await suspend(false);
  expect(await browser.post('invitations/read', { token })).toMatchObject(invalid);
  expect(await browser.post('invitations/accept', { token, wallet: signed })).toMatchObject(invalid);
  await suspend(true);
  expect((await browser.post('invitations/accept', { token, wallet: signed })).status).toBe(200);
});

test('unknown, used and expired invitations get byte-identical refusals', async () => {
  const used = await invite('Used');
  expect((await acceptWithPasskey(used)).status).toBe(200);
  const expired = await invite('Late');
  await stage.pool.query(
    `update account_invitations set expires_at = now() where account_id = (select id from accounts where name = 'Late')`,
  );
  const errors = [];
  for (const token of [newToken(), used, expired]) {
    const browser = visitor();
    const asked = { purpose: 'invitation', invitation: token };
    expect(await browser.post('passkeys/challenge', asked)).toMatchObject(invalid);
    expect(await browser.post('wallets/challenge', { ...asked, address: newWallet().address })).toMatchObject(invalid);
    const wallet = await signedBy(browser, newWallet());
    for (const [path, body] of [
      ['read', { token }],
      ['accept', { token, wallet }],
    ] as const) {
      const refused = await browser.post(`invitations/${path}`, body);
      expect(refused).toMatchObject(invalid);
      errors.push(refused.error);
    }
  }
  expect(new Set(errors).size).toBe(1);
});

test('an invalid signature does not use up the invitation', async () => {
  const token = await invite('Patient');
  const browser = visitor();
  const { message } = await signedBy(browser, newWallet(), 'invitation', token);
  const wrong = { message, signature: await newWallet().signMessage({ message }) };
  const refused = await browser.post('invitations/accept', { token, wallet: wrong });
  expect(refused).toMatchObject({ status: 401, code: 'sign_in_failed' });
  expect((await acceptWithPasskey(token)).status).toBe(200);
});

test('the token of an invitation is not stored', async () => {
  const token = await invite('Secret');
  await visitor().post('invitations/read', { token });
  const { rows } = await stage.pool.query<{ text: string }>(
    `select row_to_json(i)::text as text from account_invitations i
     union all select row_to_json(e)::text from account_events e`,
  );
  expect(rows.filter(({ text }) => text.includes(token))).toEqual([]);
  expect(JSON.stringify(api.log)).not.toContain(token);
});

test('attempts to guess tokens are limited per address, whether valid or not', async () => {
  const token = await invite('Guessed');
  await using strict = await stage.startApi(
    { TRUST_PROXY: '1' },
    { limits: { console: { attempts: { perMinute: 3 } } } },
  );
  const browser = strict.browser();
  const read = (guess: string, ip: string) =>
    browser.post('invitations/read', { token: guess }, { 'x-forwarded-for': ip });
  for (let turn = 0; turn < 3; turn += 1) expect((await read(newToken(), '203.0.113.1')).status).toBe(404);
  const limited = await read(token, '203.0.113.1');
  expect(limited).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await read(token, '203.0.113.2')).data.account).toBe('Guessed');
});

test('an account with too many passkeys refuses another, and its invitation stays valid for a wallet', async () => {
  for (const status of [200, 200]) expect((await acceptWithPasskey(await invite('Full'))).status).toBe(status);
  const token = await invite('Full');
  expect(await acceptWithPasskey(token)).toMatchObject({ status: 409, code: 'too_many' });
  const browser = visitor();
  const wallet = await signedBy(browser, newWallet(), 'invitation', token);
  expect((await browser.post('invitations/accept', { token, wallet })).status).toBe(200);
});

test('a wallet of one account cannot join another, and the invitation stays valid', async () => {
  const wallet = newWallet();
  await stage.createAccount({ name: 'Owner', wallets: [wallet.address] });
  const token = await invite('Taker');
  const browser = visitor();
  const signed = await signedBy(browser, wallet, 'invitation', token);
  const refused = await browser.post('invitations/accept', { token, wallet: signed });
  expect(refused).toMatchObject({ status: 409, code: 'already_registered' });
  expect((await acceptWithPasskey(token)).status).toBe(200);
});

test('a passkey of one account cannot join another', async () => {
  const passkey = newPasskey(api.origin);
  await acceptWithPasskey(await invite('First'), visitor(), passkey);
  const token = await invite('Second');
  const refused = await acceptWithPasskey(token, visitor(), passkey);
  expect(refused).toMatchObject({ status: 409, code: 'already_registered' });
  expect((await acceptWithPasskey(token)).status).toBe(200);
});

test('with SIGN_UP=closed, invitations are neither shown nor accepted', async () => {
  const token = await invite('Shut out');
  await using closed = await stage.startApi({ SIGN_UP: 'closed' });
  const browser = closed.browser(undefined, closed.origin);
  const refused = { status: 403, code: 'sign_up_closed' };
  expect(await browser.post('invitations/read', { token })).toMatchObject(refused);
  expect(await browser.post('passkeys/challenge', { purpose: 'invitation', invitation: token })).toMatchObject(refused);
  const wallet = await signedBy(browser, newWallet());
  expect(await browser.post('invitations/accept', { token, wallet })).toMatchObject(refused);
});

test('a challenge for an invitation must name it', async () => {
  const wallet = { address: newWallet().address, purpose: 'invitation' };
  for (const [path, body] of [
    ['passkeys/challenge', { purpose: 'invitation' }],
    ['wallets/challenge', wallet],
  ] as const) {
    const answer = await visitor().post(path, body);
    expect(answer).toMatchObject({ status: 400, error: expect.stringContaining('"invitation"') });
  }
});
