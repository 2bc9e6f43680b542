import { encodeAbiParameters, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { deploy } from '../../../dev/chain/chain.ts';
import { compileContracts } from '../../../dev/chain/contracts.ts';
import { browserTest } from '../../support/browser/browser.ts';
import { newWallet } from '../../support/browser/wallet.ts';
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

browserTest('a paid search is among the payments of who paid, with its receipt, and of nobody else', async () => {
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

browserTest('a contract wallet signs in (ERC-1271), and only with the signature of its owner', async () => {
  const ownerKey = generatePrivateKey();
  const owner = privateKeyToAccount(ownerKey);
  const argument = encodeAbiParameters([{ type: 'address' }], [owner.address]).slice(2);
  const address = await deploy(paid.chain.chain, compileContracts().LocalWallet + argument);
  // The wallet's signatures have a byte of their own in front.
  const signedBy = (key: Hex) => {
    const signer = newWallet({ key, address, name: 'Contract Wallet' });
    return { ...signer, sign: async (message: string): Promise<Hex> => `0x00${(await signer.sign(message)).slice(2)}` };
  };
  await using opened = await stage.open('/account/sign-in', { wallets: [signedBy(ownerKey)] });
  await opened.page.getByRole('button', { name: 'Contract Wallet' }).click();
  await opened.page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  await using forged = await stage.open('/account/sign-in', { wallets: [signedBy(generatePrivateKey())] });
  await forged.page.getByRole('button', { name: 'Contract Wallet' }).click();
  await forged.page.getByRole('alert').waitFor();
  expect(forged.complaints.splice(0).join()).toMatch(/401/);
});
