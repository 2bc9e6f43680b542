import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { balanceOf } from '../../dev/chain/chain.ts';
import { price } from '../../dev/chain/payment.ts';
import { forFile } from '../support/for-file.ts';
import { newPayer } from '../support/payments/payers.ts';
import { setPaidStage } from '../support/stages/paid.ts';

// Row 2 with the second published client, if it is installed: pip install 'x402[httpx,evm]'

const hasModules = (modules: string): boolean => spawnSync('python3', ['-c', `import ${modules}`]).status === 0;
const installed = hasModules('x402.http.clients.httpx, eth_account');
if (!installed) process.stderr.write("SKIPPED: the Python client is not installed (pip install 'x402[httpx,evm]')\n");
const installedMcp = hasModules('x402.mcp, mcp, eth_account');
if (!installedMcp)
  process.stderr.write("SKIPPED: the Python client of MCP is not installed (pip install 'x402[evm]' mcp)\n");

const stage = await forFile(setPaidStage());
const api = await forFile(stage.startApi());

(installed ? test : test.skip)('row 2: the published Python client pays one cent and gets its answer', async () => {
  const payer = await newPayer(stage.chain.chain, 2);
  const child = spawn(
    'python3',
    [
      join(import.meta.dirname, '..', 'support', 'payments', 'payers-client.py'),
      `${api.url}/api/v1/x402/search?q=quartz`,
    ],
    { env: { ...process.env, PAYER_KEY: payer.key }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const answer = JSON.parse(await text(child.stdout)) as {
    readonly status: number;
    readonly receipt: string;
    readonly body: { readonly meta: { readonly transaction: string } };
  };
  expect(answer.status).toBe(200);
  const { transaction } = answer.body.meta;
  expect(JSON.parse(atob(answer.receipt))).toMatchObject({ success: true, transaction, payer: payer.address });
  expect(await balanceOf(stage.chain.chain, payer.account.address)).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', tx_hash: transaction }]);
});

(installedMcp ? test : test.skip)(
  'the published Python clients of MCP and x402 pay one cent and get their answer',
  async () => {
    const payer = await newPayer(stage.chain.chain, 2);
    const child = spawn(
      'python3',
      [join(import.meta.dirname, '..', 'support', 'payments', 'mcp-client.py'), `${api.url}/mcp`],
      { env: { ...process.env, PAYER_KEY: payer.key }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const answer: unknown = JSON.parse(await text(child.stdout));
    const [row] = await stage.settledRows(payer);
    expect(answer).toEqual({
      isError: false,
      text: expect.stringContaining('Quartz Ledger'),
      receipt: expect.objectContaining({ success: true, transaction: row?.tx_hash, payer: payer.address }),
    });
    expect(await balanceOf(stage.chain.chain, payer.account.address)).toBe(price);
  },
);
