import { balanceOf, chainClient } from '../../dev/chain/chain.ts';
import { localNetwork } from '../../dev/chain/network.ts';
import { price } from '../../dev/chain/payment.ts';
import { entitySearch } from '../../dev/lib/command-line.ts';
import { withApiLimits } from '../../dev/lib/limits.ts';
import { seededRandom } from '../../dev/torture/random.ts';
import { startApiProcess } from '../support/api/process.ts';
import { expectServed } from '../support/payments/paid-answer.ts';
import { buyPatiently } from '../support/payments/patient-buyers.ts';
import { newPayers } from '../support/payments/payers.ts';
import { type Behaviour, type Exchange, faults, pass } from '../support/proxies/facilitator.ts';
import { paidStage } from '../support/stages/paid.ts';

const stage = await paidStage();

const payerCount = 20;
const searchesEach = 5;
/** Ends buyers and the test if something hangs. */
const longestMs = 600_000;

const pendingError = async (exchange: Exchange): Promise<void> => {
  const answer = JSON.parse(await exchange.forward()) as { transaction?: string };
  exchange.answer(500, JSON.stringify({ ...answer, success: false, errorReason: 'settlement_pending' }));
};

test(
  '100 paid requests at once through two processes and a faulty facilitator: all agree to the cent',
  async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
    const random = seededRandom(seed).next;
    process.stderr.write(`crowd with SEED=${seed}\n`);
    const trouble: readonly Behaviour[] = [
      faults.reset,
      faults.hang,
      faults.cutAfter,
      faults.garbage,
      faults.busy,
      pendingError,
    ];
    const moody: Behaviour = (exchange) =>
      random() < 0.7 ? pass(exchange) : (trouble[Math.floor(random() * trouble.length)] ?? pass)(exchange);
    stage.chain.facilitator.always('verify', moody);
    stage.chain.facilitator.always('settle', moody);
    const env = withApiLimits(stage.env, {
      paid: {
        // The facilitator hangs now and then.
        facilitator: { verifyTimeoutMs: 3_000, settleTimeoutMs: 4_000 },
        limits: { leaseMs: 5_000 },
        observer: { everyMs: 1_000 },
        audit: { everyMs: 500 },
      },
    });
    await using one = startApiProcess(env);
    await using two = startApiProcess(env);
    const urls = await Promise.all([one.url, two.url]);
    const payers = await newPayers(stage.chain.chain, payerCount, searchesEach + 5);
    let turn = 0;
    const anyUrl = (): string => urls[turn++ % urls.length] ?? '';
    const limit = AbortSignal.timeout(longestMs);
    const done = await Promise.all(
      payers.flatMap((payer) =>
        Array.from({ length: searchesEach }, (_, n) =>
          buyPatiently(payer, `q=quartz+${n}&type=companies`, anyUrl, limit),
        ),
      ),
    );

    const transactions = new Set(done.map(({ answer }) => expectServed(answer).transaction));
    expect(transactions.size).toBe(payerCount * searchesEach);
    expect(await stage.received()).toBe(price * BigInt(payerCount * searchesEach));
    for (const payer of payers) {
      expect(await balanceOf(stage.chain.chain, payer.account.address)).toBe(price * 5n);
      const rows = await stage.paidRows(payer);
      expect(rows).toHaveLength(searchesEach);
      expect(rows.every(({ tx_hash }) => transactions.has(tx_hash ?? ''))).toBe(true);
    }
    // The processes audited all the while; in the end, their result is true.
    await chainClient(stage.chain.chain).mine({ blocks: localNetwork.reorgBlocks + 1 });
    const { code, out } = await entitySearch(['payments', 'audit'], stage.env);
    const received = String(price * BigInt(payerCount * searchesEach));
    expect({ code, out: JSON.parse(out) }).toMatchObject({
      code: 0,
      out: { open_findings: 0, recipients: [{ received }] },
    });
    const retried = done.filter(({ attempts }) => attempts > 1).length;
    process.stderr.write(`${retried} of ${done.length} clients had to retry\n`);
  },
  longestMs,
);
