import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { localAccounts } from '../chain/accounts.ts';
import { balanceOf } from '../chain/chain.ts';
import { localNetwork } from '../chain/network.ts';
import { payerFile } from '../chain/payments-stack.ts';
import { hasCode } from '../lib/processes.ts';
import { demoConfig } from './config.ts';

/**
 * `npm run demo:pay -- "query"`: buys one search from the running demo with the published client, and shows the
 * results, the transaction, and both balances before and after. PORT and STATE are those of the demo.
 */

const hex = z.templateLiteral(['0x', z.string()]);
const payerSchema = z.object({ chain: z.url(), payerKey: hex });
const item = z.looseObject({ name: z.string() });
const answerSchema = z.object({
  data: z.record(z.string(), z.array(item)),
  meta: z.object({ total: z.int(), transaction: z.string(), price_paid_usd: z.string() }),
});

async function main(words: readonly string[]): Promise<number> {
  const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
  const config = demoConfig(process.env);
  const payer = readPayer(join(config.state, payerFile));
  if (payer === null) {
    process.stderr.write('No demo has run here: start one with npm run demo, then run this again.\n');
    return 1;
  }
  const account = privateKeyToAccount(payer.payerKey);
  const balances = (): Promise<readonly bigint[]> =>
    Promise.all([account.address, localAccounts.merchant.address].map((owner) => balanceOf(payer.chain, owner)));
  const client = new x402Client().register(localNetwork.name, new ExactEvmScheme(account));
  const url = `http://127.0.0.1:${config.port}/api/v1/x402/search?${new URLSearchParams({ q: words.join(' ') })}`;

  const before = await balances();
  printLine(`GET ${url}`);
  const response = await wrapFetchWithPayment(fetch, client)(url);
  const body: unknown = await response.json();
  printLine(`${response.status} ${response.statusText}`);
  if (!response.ok) {
    printLine(JSON.stringify(body, null, 2));
    return 1;
  }
  const answer = answerSchema.parse(body);
  for (const [kind, items] of Object.entries(answer.data)) {
    printLine(`\n${kind}: ${items.length}`);
    for (const { name } of items) printLine(`  ${name}`);
  }
  const after = await balances();
  printLine(`\nPaid ${answer.meta.price_paid_usd} USD in transaction ${answer.meta.transaction}`);
  printLine(`payer    ${dollars(before[0])} → ${dollars(after[0])}`);
  printLine(`receiver ${dollars(before[1])} → ${dollars(after[1])}`);
  return 0;
}

function readPayer(file: string): z.infer<typeof payerSchema> | null {
  try {
    return payerSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function dollars(units: bigint | undefined): string {
  return units === undefined ? '?' : `${units / 1_000_000n}.${(units % 1_000_000n).toString().padStart(6, '0')} USDC`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const refused = error instanceof Error && hasCode(error.cause, 'ECONNREFUSED');
  process.stderr.write(
    refused ? 'Nothing answers: is the demo running (npm run demo), and are PORT and STATE the same?\n' : `${error}\n`,
  );
  process.exitCode = 1;
}
