import { addAuthenticator } from '../../support/browser/authenticator.ts';
import { browserTest } from '../../support/browser/browser.ts';
import { newWallet } from '../../support/browser/wallet.ts';
import { forFile } from '../../support/for-file.ts';
import { setConsoleStage } from '../../support/stages/console.ts';

const demoKey = `0x${'7'.repeat(64)}` as const;
const stage = await forFile(setConsoleStage({ DEMO_WALLET_PRIVATE_KEY: demoKey, X402_NETWORK: 'eip155:84532' }));

browserTest('a wallet signs in, reaches the requested page and signs out', async () => {
  const wallet = newWallet();
  await using opened = await stage.open('/account/usage', { wallets: [wallet] });
  const { page } = opened;
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await page.getByRole('button', { name: wallet.name }).click();
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/account/usage');
  const [message = ''] = wallet.signed;
  const { host } = new URL(stage.origin);
  expect(message).toContain(`${host} wants you to sign in with your Ethereum account:\n${wallet.address}`);
  expect(message).toContain(`URI: ${stage.origin}`);
  expect(wallet.signed).toHaveLength(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await page.goto(`${stage.origin}/account/usage`);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});

browserTest('the chosen one of several wallets signs; a refusal is shown, and signing can be tried again', async () => {
  const wallets = [newWallet({ name: 'First Wallet' }), newWallet({ name: 'Second Wallet' })] as const;
  await using opened = await stage.open('/account/sign-in', { wallets });
  const { page } = opened;
  const button = page.getByRole('button', { name: 'Second Wallet' });
  wallets[1].refuses = true;
  await button.click();
  await page.getByRole('alert').waitFor();
  wallets[1].refuses = false;
  await button.click();
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  expect(wallets.map(({ signed }) => signed.length)).toEqual([0, 1]);
});

browserTest('an invited account signs in with a new passkey, out, and in again with the passkey alone', async () => {
  const link =
    /http[^"\s]+#[\w-]+/.exec(await stage.run('accounts', 'invite', 'Guest Ltd', '--plan', 'starter'))?.[0] ?? '';
  const token = link.slice(link.indexOf('#'));
  expect(token.length).toBeGreaterThan(40);
  await using opened = await stage.open('/');
  const { page } = opened;
  const authenticator = await addAuthenticator(page);
  await page.goto(`${stage.origin}/account/invitation${token}`);
  await page.getByText('Guest Ltd').first().waitFor();
  // Removed from the address bar, where it could be seen, kept or shared.
  expect(page.url()).not.toContain('#');
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  expect(await authenticator.count()).toBe(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  await page.getByText('Guest Ltd').first().waitFor();
  await using second = await stage.open(`/account/invitation${token}`);
  await second.page.getByRole('alert').waitFor();
  // The link was used: the answer is 404, which browsers put on the console.
  expect(second.complaints.splice(0).join()).toMatch(/404/);
});

browserTest('a newcomer without a wallet has a key after three clicks', async () => {
  await using opened = await stage.open('/');
  const { page } = opened;
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await page.getByRole('button', { name: 'Use the demo wallet' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page
    .getByText(/^es_live_\S+$/)
    .first()
    .textContent();
  const answer = await fetch(`${stage.origin}/api/v1/search?type=all`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
});
