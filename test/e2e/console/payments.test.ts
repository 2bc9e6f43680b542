import { browserTest } from '../../support/browser/browser.ts';
import { newPayer, payingFetch } from '../../support/payments/payers.ts';
import { type ConsoleStage, serve } from '../../support/stages/console.ts';
import { type PaidStage, setPaidStage } from '../../support/stages/paid.ts';

let paid: PaidStage;
let stage: Pick<ConsoleStage, 'origin' | 'open' | 'openSignedIn'>;
const resources = new AsyncDisposableStack();

beforeAll(async () => {
  paid = resources.use(await setPaidStage());
  stage = await serve(resources, paid.env);
});

afterAll(() => resources.disposeAsync());

browserTest('a paid search is listed with a receipt in the account of its payer only', async () => {
  const payer = await newPayer(paid.chain.chain);
  const bought = await payingFetch(payer)(`${stage.origin}/api/v1/x402/search?q=quartz`);
  const { meta } = (await bought.json()) as { meta: { transaction: string } };
  await paid.settledRows(payer);
  await using opened = await stage.openSignedIn('/account/payments', { key: payer.key });
  const { page } = opened;
  const row = page.getByRole('table', { name: 'Payments' }).getByRole('row').filter({ hasText: 'quartz' });
  await row.waitFor();
  expect(await row.textContent()).toMatch(/0\.01/);
  expect(await row.textContent()).toContain('Base Sepolia');
  expect(await row.getByRole('link', { name: /^Transaction/ }).getAttribute('href')).toBe(
    `https://sepolia.basescan.org/tx/${meta.transaction}`,
  );
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('link', { name: /^Download the receipt/ }).click(),
  ]);
  const text = (await (await download.createReadStream()).setEncoding('utf8').toArray()).join('');
  expect(text).toContain(meta.transaction);
  expect(text.toLowerCase()).toContain(payer.address);
  await using other = await stage.openSignedIn('/account/payments');
  await other.page.getByText('No payments yet').waitFor();
  expect(await other.page.content()).not.toContain(meta.transaction);
});
