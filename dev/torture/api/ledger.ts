import { setTimeout as delay } from 'node:timers/promises';
import { parseAbi } from 'viem';
import { z } from 'zod';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import { chainClient } from '../../chain/chain.ts';
import { localNetwork } from '../../chain/network.ts';
import { price } from '../../chain/payment.ts';
import type { PaymentStack } from '../../chain/payments-stack.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { askOnce } from './ask.ts';
import { type BuyerCounts, keyFrom, keyOf, validSeconds } from './buyers.ts';

// Checks the promises to payers once everything is quiet: ledger and chain agree, and every paid search can be fetched.

/** Time limit for the observers to decide everything, once the chain can decide. */
const decidedWithinMs = 60_000;

/** Every unused authorization expires, so that the chain decides the outcome of each. */
export async function endAuthorizations({ chain }: PaymentStack): Promise<void> {
  const client = chainClient(chain);
  await client.setAutomine(true);
  await client.mine({ blocks: 1 });
  const { timestamp } = await client.getBlock();
  await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(2 * validSeconds) });
  await client.mine({ blocks: localNetwork.reorgBlocks + 2 });
}

/** Returns the problems of the payments; none if all promises were kept. */
export async function findPaymentProblems(
  stack: PaymentStack,
  databaseUrl: string,
  urls: readonly [string, ...string[]],
  buyers: readonly BuyerCounts[],
): Promise<readonly string[]> {
  const undecided = await waitUntilDecided(databaseUrl);
  const [rows, transfers] = await Promise.all([settledRows(databaseUrl), transfersTo(stack)]);
  const problems = undecided === '' ? [] : [`payments: not decided: ${undecided}`];
  for (const [key, transaction] of rows) {
    const moved = transfers.get(key);
    if (moved !== transaction)
      problems.push(`payments: the ledger has ${key} in ${transaction}, the chain in ${moved}`);
  }
  for (const [key, transaction] of transfers) {
    if (!rows.has(key)) problems.push(`payments: the chain has ${key} in ${transaction}, the ledger has not`);
  }
  let late = 0;
  for (const purchase of buyers.flatMap(({ left }) => left)) {
    if (!rows.has(keyOf(purchase))) continue;
    const answer = await askOnce(urls[0], purchase);
    if (answer?.kind === 'served') late += 1;
    else problems.push(`payments: ${keyOf(purchase)} is paid, and its answer can't be had: ${answer?.kind ?? 'none'}`);
  }
  const served = buyers.reduce((sum, counts) => sum + counts.served, 0);
  if (rows.size !== served + late) {
    problems.push(`payments: ${rows.size} were taken, ${served} served, and ${late} when asked again`);
  }
  return problems;
}

async function waitUntilDecided(databaseUrl: string): Promise<string> {
  const endMs = performance.now() + decidedWithinMs;
  for (;;) {
    const open = await withClient(databaseUrl, async (client) => {
      const { rows } = await client.query<{ readonly text: string }>(
        `select status || ' ' || count(*) as text from x402_payments where status <> 'settled' group by status`,
      );
      return rows.map(({ text }) => text).join(', ');
    });
    if (open === '' || performance.now() > endMs) return open;
    await delay(500);
  }
}

const settled = z.array(z.object({ payer: z.string(), nonce: z.string(), tx_hash: z.string() }));

/** The transaction of each settled row, by payer and nonce. */
async function settledRows(databaseUrl: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query(`select payer, nonce, tx_hash from x402_payments where status = 'settled'`),
  );
  return new Map(settled.parse(rows).map(({ payer, nonce, tx_hash }) => [`${payer} ${nonce}`, tx_hash]));
}

const events = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/**
 * The transaction of each transfer to the recipient, by payer and nonce. Doesn't use the service's code, so that its
 * errors are not repeated. Throws if money came in any other way.
 */
async function transfersTo({ chain, token, payTo }: PaymentStack): Promise<ReadonlyMap<string, string>> {
  const logs = await chainClient(chain).getLogs({
    address: token as Hex,
    events,
    strict: true,
    fromBlock: 0n,
    toBlock: 'latest',
  });
  const used = new Map<string, string>();
  for (const { eventName, transactionHash, logIndex, args } of logs) {
    if (eventName === 'AuthorizationUsed') {
      used.set(`${transactionHash} ${logIndex}`, keyFrom(args.authorizer, args.nonce));
    }
  }
  const found = new Map<string, string>();
  for (const { eventName, transactionHash, logIndex, args } of logs) {
    if (eventName !== 'Transfer' || args.to.toLowerCase() !== payTo.toLowerCase()) continue;
    const key = used.get(`${transactionHash} ${logIndex - 1}`);
    if (key === undefined || args.value !== price) throw new Error(`${transactionHash} has paid in another way.`);
    found.set(key, transactionHash.toLowerCase());
  }
  return found;
}
