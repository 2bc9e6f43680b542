import { newPasskey, type SoftwarePasskey, type Twist } from '../../support/account/authenticator.ts';
import type { Answered, Browser } from '../../support/account/browser.ts';
import { newWallet, signedBy } from '../../support/account/wallets.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccountStage } from '../../support/stages/account/account.ts';

const stage = await forFile(setAccountStage());
const api = await forFile(stage.startApi({}, { limits: { console: { attempts: { perMinute: 1_000_000 } } } }));

let accounts = 0;

/** Signs in a person whose account has a wallet and a passkey. */
async function member(counts = true) {
  accounts += 1;
  const wallet = newWallet();
  const id = await stage.createAccount({ name: `Keeper ${accounts}`, wallets: [wallet.address] });
  const browser = api.browser(await stage.signIn(id), api.origin);
  const passkey = newPasskey(api.origin, counts);
  const confirm = async () =>
    browser.post('session/confirmation', { wallet: await signedBy(browser, wallet, 'confirm') });
  await confirm();
  const added = await add(browser, passkey);
  expect(added).toMatchObject({ status: 201 });
  return { id, name: `Keeper ${accounts}`, wallet, browser, passkey, passkeyId: added.data.id, confirm };
}

async function add(browser: Browser, passkey: SoftwarePasskey, name = 'My laptop', twist?: Twist): Promise<Answered> {
  const { options } = (await browser.post('passkeys/challenge', { purpose: 'add' })).data;
  return browser.post('passkeys', { name, response: passkey.create(options, twist) });
}

async function signIn(browser: Browser, passkey: SoftwarePasskey, twist?: Twist): Promise<Answered> {
  const { options } = (await browser.post('passkeys/challenge', { purpose: 'sign-in' })).data;
  return browser.post('sign-in/passkey', { response: passkey.get(options, twist) });
}

const visitor = () => api.browser(undefined, api.origin);
const failed = { status: 401, code: 'sign_in_failed' };

describe('A passkey', () => {
  test('signs in without a user name', async () => {
    const { id, name, passkey } = await member();
    const browser = visitor();
    const { data } = await browser.post('passkeys/challenge', { purpose: 'sign-in' });
    expect(data.options).toMatchObject({ rpId: 'localhost', allowCredentials: [], userVerification: 'required' });
    expect(await signIn(browser, passkey)).toMatchObject({
      status: 200,
      data: { signed_in: true, account: { id, name }, session: { method: 'passkey' } },
    });
    expect(await stage.events(id)).toContain('passkey My laptop: signed_in');
  });

  test('is discoverable, limited to one per device, and reveals nothing about the device', async () => {
    const { browser, id, passkey } = await member();
    const { options } = (await browser.post('passkeys/challenge', { purpose: 'add' })).data;
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Entity Search' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: [{ id: passkey.id, type: 'public-key', transports: ['internal'] }],
    });
    expect(Buffer.from(options.user.id, 'base64url').toString()).toBe(`account ${id}`);
  });

  test('confirms a change, and is then requested by its id', async () => {
    const { browser, passkey } = await member();
    const { options } = (await browser.post('passkeys/challenge', { purpose: 'confirm' })).data;
    expect(options.allowCredentials).toMatchObject([{ id: passkey.id }]);
    const answer = await browser.post('session/confirmation', { passkey: { response: passkey.get(options) } });
    expect(answer).toMatchObject({ status: 200, data: { confirmed: true } });
    expect((await browser.get('session')).data.session.confirmed).toBe(true);
  });

  test('of another account cannot confirm', async () => {
    const { browser } = await member();
    const other = await member();
    const { options } = (await browser.post('passkeys/challenge', { purpose: 'confirm' })).data;
    const response = other.passkey.get(options);
    expect(await browser.post('session/confirmation', { passkey: { response } })).toMatchObject(failed);
    expect((await browser.get('session')).data.session.confirmed).toBe(false);
  });

  test('without a counter can sign in repeatedly', async () => {
    const { passkey } = await member(false);
    expect((await signIn(visitor(), passkey)).status).toBe(200);
    expect((await signIn(visitor(), passkey)).status).toBe(200);
  });

  test('that was copied is refused by its counter, and so is one that stopped counting', async () => {
    const { passkey } = await member();
    expect((await signIn(visitor(), passkey, { count: 7 })).status).toBe(200);
    expect(await signIn(visitor(), passkey, { count: 7 })).toMatchObject(failed);
    expect(await signIn(visitor(), passkey, { count: 6 })).toMatchObject(failed);
    expect(await signIn(visitor(), passkey, { count: 0 })).toMatchObject(failed);
    expect((await signIn(visitor(), passkey, { count: 8 })).status).toBe(200);
  });

  test('and its copy cannot both sign in at once', async () => {
    const { passkey } = await member();
    const browsers = Array.from({ length: 4 }, visitor);
    const answers = await Promise.all(browsers.map((browser) => signIn(browser, passkey, { count: 50 })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
  });

  test('that was removed can no longer sign in', async () => {
    const { browser, passkey, passkeyId, confirm } = await member();
    await confirm();
    expect((await browser.delete(`passkeys/${passkeyId}`)).status).toBe(200);
    expect(await signIn(visitor(), passkey)).toMatchObject(failed);
  });

  test('of a suspended account cannot sign in', async () => {
    const { id, passkey } = await member();
    await stage.pool.query('update accounts set active = false where id = $1', [id]);
    expect(await signIn(visitor(), passkey)).toMatchObject({ status: 403, code: 'account_suspended' });
  });

  test('is added once, and needs a valid name', async () => {
    const { browser, passkey, confirm } = await member();
    await confirm();
    expect(await add(browser, passkey)).toMatchObject({ status: 409, code: 'already_registered' });
    for (const name of ['', ' ', 'x'.repeat(101), '\u200b', 'admin\u202enimda']) {
      const answer = await add(browser, newPasskey(api.origin), name);
      expect(answer).toMatchObject({ status: 400, error: expect.stringContaining('"name"') });
    }
    expect(await add(browser, newPasskey(api.origin), 'x'.repeat(100))).toMatchObject({ status: 201 });
  });
});

describe('A passkey response is refused', () => {
  test('if it is repeated, even concurrently: one succeeds', async () => {
    const { passkey } = await member(false);
    const browser = visitor();
    const { options } = (await browser.post('passkeys/challenge', { purpose: 'sign-in' })).data;
    const response = passkey.get(options);
    const cookies = [...browser.cookies];
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.post('sign-in/passkey', { response })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401]);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect(await browser.post('sign-in/passkey', { response })).toMatchObject(failed);
  });

  test('from another browser', async () => {
    const { passkey } = await member();
    const [browser, other] = [visitor(), visitor()];
    const { options } = (await browser.post('passkeys/challenge', { purpose: 'sign-in' })).data;
    await other.post('passkeys/challenge', { purpose: 'sign-in' });
    expect(await other.post('sign-in/passkey', { response: passkey.get(options) })).toMatchObject(failed);
  });

  test('if it was given for another purpose', async () => {
    const { browser, passkey } = await member();
    const { options } = (await browser.post('passkeys/challenge', { purpose: 'confirm' })).data;
    expect(await browser.post('sign-in/passkey', { response: passkey.get(options) })).toMatchObject(failed);
  });

  test.each<[string, Twist]>([
    ['given on a page of another origin', { origin: 'https://evil.example' }],
    ['for another domain', { domain: 'evil.example' }],
    ['of another type', { type: 'webauthn.create' }],
    ['given in a frame of another page', { crossOrigin: true }],
    ['without verification of the user', { verified: false }],
    ['to another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['in the name of another account', { userHandle: Buffer.from('account 999999').toString('base64url') }],
  ])('%s', async (_, twist) => {
    const { passkey, browser, confirm } = await member();
    expect(await signIn(visitor(), passkey, twist)).toMatchObject(failed);
    // Another signature of the device is accepted.
    expect((await signIn(visitor(), passkey)).status).toBe(200);
    if ('userHandle' in twist) return;
    await confirm();
    const changed = twist.type === undefined ? twist : { type: 'webauthn.get' };
    expect(await add(browser, newPasskey(api.origin), 'New', changed)).toMatchObject(failed);
  });

  test('of an unknown passkey', async () => {
    expect(await signIn(visitor(), newPasskey(api.origin))).toMatchObject(failed);
  });

  test('with the signature of another', async () => {
    const { passkey } = await member();
    const browser = visitor();
    const { options } = (await browser.post('passkeys/challenge', { purpose: 'sign-in' })).data;
    const stranger = newPasskey(api.origin).get(options);
    const response = { ...stranger, id: passkey.id, rawId: passkey.id };
    expect(await browser.post('sign-in/passkey', { response })).toMatchObject(failed);
  });
});

test('on a page opened at an IP address, passkeys are refused with the address to open instead', async () => {
  const browser = api.browser();
  const reason = `Open this page at http://localhost:${api.port}/: passkeys need a name in place of an IP address.`;
  expect((await browser.get('session')).data.sign_in).toEqual({
    available: true,
    wallets: true,
    passkeys: false,
    reason,
  });
  expect(await browser.post('passkeys/challenge', { purpose: 'sign-in' })).toMatchObject({
    status: 403,
    error: reason,
  });
});

test('a response is limited in size, and malformed ones name the field', async () => {
  const good = newPasskey(api.origin).get({ challenge: 'x', rpId: 'localhost' });
  for (const response of [
    {},
    null,
    { ...good, id: 'x'.repeat(2_000) },
    { ...good, type: 'password' },
    { ...good, id: '=' },
  ]) {
    const answer = await visitor().post('sign-in/passkey', { response });
    expect(answer).toMatchObject({ status: 400, error: expect.stringMatching(/"response/) });
  }
  const odd = { ...good, response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' } };
  await visitor().post('passkeys/challenge', { purpose: 'sign-in' });
  expect(await visitor().post('sign-in/passkey', { response: odd })).toMatchObject(failed);
});
