import { axeViolations } from '../../support/browser/axe.ts';
import { browserTest, openBrowser } from '../../support/browser/browser.ts';
import { forFile } from '../../support/for-file.ts';
import { startLoopback } from '../../support/proxies/loopback.ts';

// The tests' own browser, on pages with the policy that the console has: what these helpers do not hear or cannot do
// would let the console's tests pass in silence.

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

const pageWith = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Page</title></head><body><main><h1>Page</h1>${body}</main></body></html>`;

const pages: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  '/inline': { type: 'text/html', body: pageWith('<p style="color: red">Styled.</p>') },
  '/broken': { type: 'text/html', body: pageWith('<script src="/throws.js"></script><img src="data:,"><input>') },
  '/throws.js': { type: 'text/javascript', body: 'throw new Error("from the page")' },
};

const server = await forFile(
  startLoopback(({ url = '' }, response) => {
    const { type, body } = pages[url] ?? { type: 'text/plain', body: '' };
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy }).end(body);
  }),
);
const origin = server.url.replace('127.0.0.1', 'localhost');

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
