import { type AccountApi, type AccountStage, setAccountStage } from '../../support/stages/account/account.ts';

let stage: AccountStage;
let api: AccountApi;
beforeAll(async () => {
  stage = await setAccountStage();
  api = await stage.startApi({}, { limits: { console: { attempts: { perMinute: 1_000_000 } } } });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

async function member(name: string) {
  const id = await stage.createAccount({ name });
  const signedIn = await stage.signIn(id);
  return { id, browser: api.browser(signedIn), sessionId: signedIn.session.sessionId };
}

test('a session that ends because there are too many has an audit line with that reason', async () => {
  const { id, browser, sessionId } = await member('Many Tabs');
  for (let more = 0; more < 50; more += 1) await stage.signIn(id);
  expect(await browser.get('security')).toMatchObject({ status: 401 });
  const { rows } = await stage.pool.query(
    `select actor, detail from account_events where account_id = $1 and action = 'session_revoked'`,
    [id],
  );
  expect(rows).toEqual([{ actor: 'test', detail: { session: sessionId, reason: 'more than 50 sessions' } }]);
});

test.each(['\u200b', '\u2800 \u00ad', 'admin\u202enimda'])(
  'neither a key nor a passkey has a name that nobody sees, or that turns what stands around it: %j',
  async (name) => {
    const { browser } = await member(`Names ${name.codePointAt(0)}`);
    const refused = { status: 400, code: 'invalid_parameter', error: expect.stringContaining('"name"') };
    expect(await browser.post('keys', { name, environment: 'live' })).toMatchObject(refused);
    const response = {
      id: 'AAAA',
      rawId: 'AAAA',
      type: 'public-key',
      response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
    };
    expect(await browser.post('passkeys', { name, response })).toMatchObject(refused);
  },
);
