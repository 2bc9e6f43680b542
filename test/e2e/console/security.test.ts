import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { accountClient } from '../../../dev/lib/account-client.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { addAuthenticator } from '../../support/browser/authenticator.ts';
import { browserTest } from '../../support/browser/browser.ts';
import { newWallet } from '../../support/browser/wallet.ts';
import { forFile } from '../../support/for-file.ts';
import { openContents } from '../../support/stages/api.ts';
import { setConsoleStage } from '../../support/stages/console.ts';
import { until } from '../../support/until.ts';

const evil = `Zwyxol <em>x</em> <img src=x onerror="document.title='owned'"></title><script>document.title='owned'</script>`;
const text = `'${evil.replaceAll("'", "''")}'`;
const hostileNames = {
  name: 'hostile',
  sql: `insert into companies (id, name, slug, tagline, overview, tags, website, city, country)
      values (4711, ${text}, 'zwyxol', ${text}, ${text}, array[${text}], 'javascript:document.title="owned"', ${text}, ${text});
    insert into people (id, name, slug) values (4711, ${text}, 'zwyxol-person');
    insert into roles (person_id, position, title, organisation, company_id) values (4711, 0, ${text}, ${text}, 4711)`,
};
const stage = await forFile(setConsoleStage({}, openContents(hostileNames)));

browserTest('sessions are listed, and can be revoked one by one or all together', async () => {
  const key = generatePrivateKey();
  await using first = await stage.openSignedIn('/account/security', { key });
  await using second = await stage.openSignedIn('/account/keys', { key });
  // Its pending requests are answered before its session ends.
  await second.settled();
  const { page } = first;
  await page.reload();
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await sessions.getByRole('row').nth(2).waitFor();
  expect(await sessions.getByText('This browser').count()).toBe(1);
  await sessions.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await sessions.getByRole('button', { name: /^Revoke/ }).waitFor({ state: 'detached' });
  await second.page.reload();
  await second.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();

  await using third = await stage.openSignedIn('/account/keys', { key });
  await third.settled();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await third.page.reload();
  await third.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});

browserTest('adding or removing a credential needs a fresh signature and is listed as an event', async () => {
  const key = generatePrivateKey();
  const own = newWallet({ key, name: 'Own Wallet' });
  const added = newWallet({ name: 'Added Wallet' });
  await using opened = await stage.openSignedIn('/account/security', { key, wallets: [own, added] });
  const { page } = opened;
  await addAuthenticator(page);
  const dialog = page.getByRole('dialog');
  await page.getByText('Only sign-in method').waitFor();

  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog.getByRole('button', { name: 'Own Wallet' }).click();
  await dialog.getByLabel('Name').fill('work laptop');
  await dialog.getByRole('button', { name: 'Create passkey' }).click();
  await page.getByRole('table', { name: 'Passkeys' }).getByRole('rowheader', { name: 'work laptop' }).waitFor();

  await page.getByRole('button', { name: 'Add a wallet' }).click();
  await dialog.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await dialog.getByText('Step 2 of 2').waitFor();
  await dialog.getByRole('button', { name: 'Added Wallet' }).click();
  const wallets = page.getByRole('table', { name: 'Wallets' });

  const row = wallets.getByRole('row').filter({ hasText: new RegExp(added.address, 'i') });
  await row.waitFor();
  await row.getByRole('button', { name: /^Remove/ }).click();
  await dialog.getByRole('button', { name: 'Own Wallet' }).click();
  await row.waitFor({ state: 'detached' });
  const events = page.getByRole('table', { name: 'Recent events' });
  expect(await events.getByRole('row').count()).toBeGreaterThan(4);
  // Each purpose has a statement of its own, so that a signature is of no use for another.
  const statements = [...own.signed, ...added.signed].map((message) => message.split('\n\n')[1]);
  expect(new Set(statements).size).toBe(2);
});

browserTest("a suspended account's key and session are refused until the account is reinstated", async () => {
  const memberKey = generatePrivateKey();
  await using member = await stage.openSignedIn('/account/keys', { key: memberKey });
  const created = await member.client.post('keys', { name: 'of the member', environment: 'live' });
  const { key } = (created.body as { data: { key: string } }).data;
  const name = await readValue<string>(stage.pool, 'select name from accounts where id = $1', [member.accountId]);
  const status = async (): Promise<number> => {
    const response = await fetch(`${stage.origin}/api/v1/search?type=all`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await response.arrayBuffer();
    return response.status;
  };
  expect(await status()).toBe(200);

  const operatorKey = generatePrivateKey();
  await using operator = await stage.openSignedIn('/account/keys', { key: operatorKey });
  await operator.settled();
  expect(await operator.page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
  await stage.pool.query(`update accounts set role = 'operator' where id = $1`, [operator.accountId]);
  await operator.page.goto(`${stage.origin}/account/operator`);
  const { page } = operator;
  await page.getByRole('row').getByRole('link', { name }).click();
  await page.waitForURL(/account=\d+/);
  await page.reload();
  const change = async (word: string): Promise<void> => {
    await page.getByRole('button', { name: word }).click();
    await page.getByRole('dialog').getByRole('button', { name: word }).click();
  };
  const suspended = page.getByRole('main').getByText('Suspended', { exact: true });
  await change('Suspend');
  await suspended.waitFor();
  await until(async () => (await status()) !== 200, 'the refusal of a suspended account');
  expect([401, 403]).toContain(await status());
  await change('Resume');
  await suspended.waitFor({ state: 'detached' });
  await until(async () => (await status()) === 200, 'an answer for a resumed account');
});

browserTest('names that others wrote are shown as plain text on every page', async () => {
  const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
  const operatorKey = generatePrivateKey();
  await using opened = await stage.openSignedIn('/account/keys', { key: operatorKey });
  const { page } = opened;
  await stage.pool.query(`update accounts set role = 'operator', name = $2 where id = $1`, [opened.accountId, evil]);
  await opened.client.post('keys', { name: evil, environment: 'live' });
  await stage.pool.query(
    `insert into account_sessions (account_id, hash, method, ip, user_agent, expires_at)
     values ($1, sha256('x'), 'wallet', $2, $2, now() + interval '1 day')`,
    [opened.accountId, evil],
  );
  for (const path of ['keys', 'security', 'operator', 'usage', 'payments']) {
    await page.goto(`${stage.origin}/account/${path}`);
    await page.getByText('document.title').first().waitFor();
    await opened.settled();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).not.toBe('owned');
  }
});

browserTest('a session that another tab ended is noticed at the next step', async () => {
  const key = generatePrivateKey();
  await using opened = await stage.openSignedIn('/account/keys', { key });
  const { page } = opened;
  await opened.settled();
  const elsewhere = accountClient(stage.origin);
  await elsewhere.signIn(privateKeyToAccount(key));
  await elsewhere.post('sign-out-everywhere');
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await page.getByText('Your session has ended.').waitFor();
  expect(opened.complaints.splice(0).join()).toMatch(/401/);
});

browserTest('the name of an entity is plain text in results, suggestions, facets, relations and its page', async () => {
  await using opened = await stage.open('/search?query=zwyxol&type=companies');
  const { page } = opened;
  const isText = async (): Promise<void> => {
    await opened.settled();
    expect(await page.getByText(evil).count()).toBeGreaterThan(0);
    expect(await page.locator('main :is(img, script, [href^=javascript])').count()).toBe(0);
    expect(await page.title()).not.toBe('owned');
  };
  await isText();
  const search = page.getByRole('combobox', { name: /^Search/ });
  await search.press('End');
  await search.press('Backspace');
  await page.getByRole('option').filter({ hasText: evil }).first().waitFor();
  await isText();
  await page.goto(`${stage.origin}/companies/zwyxol`);
  await isText();
  await page.goto(`${stage.origin}/people/zwyxol-person`);
  await isText();
});
