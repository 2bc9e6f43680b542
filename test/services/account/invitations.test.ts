import { hashToken, newToken } from '../../../src/account/tokens.ts';
import { inviteToAccount } from '../../../src/postgres/access/invitation-admin.ts';
import { newPasskey } from '../../support/account/authenticator.ts';
import { newWallet, signedBy, signInWith } from '../../support/account/wallets.ts';
import { type AccountApi, type AccountStage, setAccountStage } from '../../support/stages/account/account.ts';

let stage: AccountStage;
let api: AccountApi;
beforeAll(async () => {
  stage = await setAccountStage();
  api = await stage.startApi({}, { limits: { console: { attempts: { perMinute: 1_000_000 }, max: { passkeys: 2 } } } });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

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

test('a passkey that accepts an invitation signs in, then and later', async () => {
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

test('a wallet accepts with a message that names the account', async () => {
  const token = await invite('Wallet Guest');
  const [browser, wallet] = [visitor(), newWallet()];
  const signed = await signedBy(browser, wallet, 'invitation', token);
  expect(signed.message).toContain('Accept an invitation to the account Wallet Guest (number ');
  expect((await browser.post('invitations/accept', { token, wallet: signed })).status).toBe(200);
  expect((await signInWith(visitor(), wallet)).data.account.name).toBe('Wallet Guest');
});

test('a message for one invitation accepts no other one, which stays good', async () => {
  const [one, other] = [await invite('One'), await invite('Other')];
  const browser = visitor();
  const signed = await signedBy(browser, newWallet(), 'invitation', one);
  const refused = await browser.post('invitations/accept', { token: other, wallet: signed });
  expect(refused).toMatchObject({ status: 401, code: 'sign_in_failed' });
  expect((await acceptWithPasskey(other)).status).toBe(200);
  expect((await browser.post('invitations/accept', { token: one, wallet: signed })).status).toBe(200);
});

test('an invitation is used once, even where three passkeys come at once', async () => {
  const token = await invite('Contested');
  const prepared = await Promise.all([prepare(token), prepare(token), prepare(token)]);
  const answers = await Promise.all(prepared.map((accept) => accept()));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  const refused = await visitor().post('invitations/read', { token });
  expect(refused).toMatchObject(invalid);
  const { rows } = await stage.pool.query(
    `select from account_passkeys p join accounts a on a.id = p.account_id where a.name = 'Contested'`,
  );
  expect(rows).toHaveLength(1);
});

test('an invitation to a suspended account is refused, and good again with the account', async () => {
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

test('an invitation that has expired is refused', async () => {
  const token = await invite('Late');
  await stage.pool.query(
    `update account_invitations set expires_at = now() where account_id = (select id from accounts where name = 'Late')`,
  );
  expect(await visitor().post('invitations/read', { token })).toMatchObject(invalid);
  const asked = { purpose: 'invitation', invitation: token };
  expect(await visitor().post('passkeys/challenge', asked)).toMatchObject(invalid);
});

test('an account takes no more passkeys than it may have, and the invitation stays good for a wallet', async () => {
  for (const status of [200, 200]) expect((await acceptWithPasskey(await invite('Full'))).status).toBe(status);
  const token = await invite('Full');
  expect(await acceptWithPasskey(token)).toMatchObject({ status: 409, code: 'too_many' });
  const browser = visitor();
  const wallet = await signedBy(browser, newWallet(), 'invitation', token);
  expect((await browser.post('invitations/accept', { token, wallet })).status).toBe(200);
});

test('a passkey of one account is not given to another', async () => {
  const passkey = newPasskey(api.origin);
  await acceptWithPasskey(await invite('First'), visitor(), passkey);
  const token = await invite('Second');
  const refused = await acceptWithPasskey(token, visitor(), passkey);
  expect(refused).toMatchObject({ status: 409, code: 'already_registered' });
  expect((await acceptWithPasskey(token)).status).toBe(200);
});

test('where SIGN_UP=closed, invitations are neither read nor accepted', async () => {
  const token = await invite('Shut out');
  await using closed = await stage.startApi({ SIGN_UP: 'closed' });
  const browser = closed.browser(undefined, closed.origin);
  const refused = { status: 403, code: 'sign_up_closed' };
  expect(await browser.post('invitations/read', { token })).toMatchObject(refused);
  expect(await browser.post('passkeys/challenge', { purpose: 'invitation', invitation: token })).toMatchObject(refused);
  const wallet = await signedBy(browser, newWallet(), 'invitation');
  expect(await browser.post('invitations/accept', { token, wallet })).toMatchObject(refused);
});

test('a request for a passkey’s challenge names the invitation it is for', async () => {
  const answer = await visitor().post('passkeys/challenge', { purpose: 'invitation' });
  expect(answer).toMatchObject({ status: 400, error: expect.stringContaining('"invitation"') });
});
