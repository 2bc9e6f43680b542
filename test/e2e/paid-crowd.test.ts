import { price } from '../../dev/chain/payment.ts';
import { withApiLimits } from '../../dev/lib/limits.ts';
import { startApiProcess } from '../support/api/process.ts';
import { forFile } from '../support/for-file.ts';
import { expectServed } from '../support/payments/paid-answer.ts';
import { buyPatiently, drawnFrom } from '../support/payments/patient-buyers.ts';
import { newPayer, newPayers, signPayment } from '../support/payments/payers.ts';
import { faults, moody, pass } from '../support/proxies/facilitator.ts';
import { paidStage } from '../support/stages/paid.ts';

const stage = await paidStage();
const env = withApiLimits(stage.env, {
  paid: {
    // The facilitator hangs now and then.
    facilitator: { verifyTimeoutMs: 3_000, settleTimeoutMs: 4_000 },
    rows: { openMax: 50 },
    limits: { leaseMs: 5_000, openMax: 50 },
    observer: { everyMs: 1_000 },
    audit: { everyMs: 500 },
  },
});
/** Serves both tests. At its end, it fails if Node has printed a warning. */
const one = await forFile(startApiProcess(env));

const payerCount = 6;
const searchesEach = 4;
/** Ends buyers and the test if something hangs. */
const longestMs = 600_000;

test(
  `after ${payerCount * searchesEach} concurrent paid requests to two processes with a faulty facilitator, all accounts agree to the cent`,
  async () => {
    const { reset, hang, cutAfter, garbage, busy, pendingError } = faults;
    const trouble = moody(drawnFrom('crowd'), 0.3, reset, hang, cutAfter, garbage, busy, pendingError);
    stage.chain.facilitator.always('verify', trouble);
    stage.chain.facilitator.always('settle', trouble);
    await using another = startApiProcess(env);
    const urls = await Promise.all([one.url, another.url]);
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
      expect(await stage.spent(payer)).toBe(price * BigInt(searchesEach));
      const rows = await stage.paidRows(payer);
      expect(rows).toHaveLength(searchesEach);
      expect(rows.every(({ tx_hash }) => transactions.has(tx_hash ?? ''))).toBe(true);
    }
    // The processes have audited all along; in the end, their result is correct.
    await stage.expectAudited(price * BigInt(payerCount * searchesEach));
    const retried = done.filter(({ attempts }) => attempts > 1).length;
    process.stderr.write(`${retried} of ${done.length} clients had to retry\n`);
  },
  longestMs,
);

const purchases = 12;
/** The answer repeats it, which makes it long enough to be compressed. */
const longText = encodeURIComponent(`quartz ${'😀'.repeat(240)}`);

test('ordinary paid and keyed load prints no warning, because waiting requests share listeners', async () => {
  for (const path of ['verify', 'settle'] as const) stage.chain.facilitator.always(path, pass);
  const payer = await newPayer(stage.chain.chain, purchases + 1);
  const key = await stage.stage.createKey();
  const url = await one.url;
  const signed = await Promise.all(Array.from({ length: purchases }, () => signPayment(payer)));
  const ask = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const response = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'br', ...headers } });
    await response.arrayBuffer();
    if ('payment-signature' in headers) expect(response.headers.get('content-encoding')).toBe('br');
    return response.status;
  };
  const paid = signed.map(({ header }, at) =>
    ask(`/api/v1/x402/search?q=${longText}${at}`, { 'payment-signature': header }),
  );
  const unpaid = Array.from({ length: purchases }, () => ask('/api/v1/x402/search', {}));
  const authorization = `Bearer ${key}`;
  const keyed = Array.from({ length: purchases }, () => ask('/api/v1/search?type=all', { authorization }));
  const refused = Array.from({ length: purchases }, () =>
    ask('/api/v1/search?type=all', { authorization: 'Bearer x' }),
  );
  expect(new Set(await Promise.all(paid))).toEqual(new Set([200]));
  expect(new Set(await Promise.all(unpaid))).toEqual(new Set([402]));
  expect(new Set(await Promise.all(keyed))).toEqual(new Set([200]));
  expect(new Set(await Promise.all(refused))).toEqual(new Set([401]));
});
