import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recoverMessageAddress } from 'viem';
import { addAuthenticator } from '../../support/browser/authenticator.ts';
import { axeViolations } from '../../support/browser/axe.ts';
import { browserTest, openBrowser, phone } from '../../support/browser/browser.ts';
import { newWallet } from '../../support/browser/wallet.ts';

// The tests' own browser, on pages with the policy that the console has: what these helpers do not hear or cannot do
// would let the console's tests pass in silence.

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

const script = `
addEventListener('eip6963:announceProvider', async ({ detail: { info, provider } }) => {
  const [address] = await provider.request({ method: 'eth_requestAccounts' });
  const signature = await provider.request({ method: 'personal_sign', params: ['0x68656c6c6f', address] });
  document.querySelector('output').textContent = JSON.stringify({ name: info.name, address, signature });
});
dispatchEvent(new Event('eip6963:requestProvider'));
const bytes = (text) => new TextEncoder().encode(text);
document.querySelector('button').addEventListener('click', async ({ target }) => {
  const { id, name } = { id: bytes('7'), name: 'someone' };
  const pubKeyCredParams = [-7, -257].map((alg) => ({ type: 'public-key', alg }));
  const publicKey = { challenge: bytes('c'), rp: { name: 'x' }, user: { id, name, displayName: name }, pubKeyCredParams };
  await navigator.credentials.create({ publicKey });
  target.textContent = 'made';
});
`;

const pageWith = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Page</title></head><body><main><h1>Page</h1>${body}</main></body></html>`;

const pages: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  '/': { type: 'text/html', body: pageWith('<p>Fine.</p>') },
  '/parts': {
    type: 'text/html',
    body: pageWith('<output>none</output><button>Make</button><script src="/script.js"></script>'),
  },
  '/script.js': { type: 'text/javascript', body: script },
  '/inline': { type: 'text/html', body: pageWith('<p style="color: red">Styled.</p>') },
  '/broken': { type: 'text/html', body: pageWith('<script src="/throws.js"></script><img src="data:,"><input>') },
  '/throws.js': { type: 'text/javascript', body: 'throw new Error("from the page")' },
};

const server = createServer(({ url = '' }, response) => {
  const { type, body } = pages[url] ?? { type: 'text/plain', body: '' };
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy }).end(body);
});
let origin = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

browserTest('a good page has nothing to complain of, in the size and colours that were asked for', async () => {
  await using browser = await openBrowser();
  await using opened = await browser.open({ colorScheme: 'dark', viewport: phone, reducedMotion: 'reduce' });
  await opened.page.goto(origin);
  expect(await axeViolations(opened.page)).toEqual([]);
  const media = ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', '(width: 390px)'];
  for (const query of media) expect(await opened.page.evaluate(`matchMedia('${query}').matches`)).toBe(true);
});

browserTest('exceptions, what the policy stops and what axe finds are heard', async () => {
  await using browser = await openBrowser();
  await using opened = await browser.open();
  await opened.page.goto(`${origin}/inline`);
  await opened.page.goto(`${origin}/broken`);
  const heard = opened.complaints.splice(0).join('\n');
  expect(heard).toContain('exception: Error: from the page');
  expect(heard).toContain('policy: style-src-attr stops inline');
  expect(heard).toContain('policy: img-src stops data');
  const found = await axeViolations(opened.page);
  expect(found).toContainEqual(expect.stringContaining('image-alt'));
  expect(found).toContainEqual(expect.stringContaining('label'));
});

browserTest('a wallet announces itself and signs', async () => {
  const wallet = newWallet();
  await using browser = await openBrowser();
  await using opened = await browser.open({ wallets: [wallet] });
  await opened.page.goto(`${origin}/parts`);
  const output = opened.page.getByText(wallet.address);
  const { name, address, signature } = JSON.parse((await output.textContent()) ?? '');
  expect({ name, address }).toEqual({ name: 'Test Wallet', address: wallet.address });
  expect(wallet.signed).toContain('hello');
  expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(wallet.address);
});

browserTest('passkeys are made without hands', async () => {
  await using browser = await openBrowser();
  await using opened = await browser.open();
  await opened.page.goto(`${origin}/parts`);
  const authenticator = await addAuthenticator(opened.page);
  await opened.page.getByRole('button', { name: 'Make' }).click();
  await opened.page.getByRole('button', { name: 'made' }).waitFor();
  expect(await authenticator.count()).toBe(1);
});
