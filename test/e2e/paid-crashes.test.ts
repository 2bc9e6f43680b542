import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { price } from '../../dev/chain/payment.ts';
import { withApiLimits } from '../../dev/lib/limits.ts';
import { type ApiProcess, startApiProcess } from '../support/api/process.ts';
import { forFile } from '../support/for-file.ts';
import { expectRetry, expectServed, getPaid } from '../support/payments/paid-answer.ts';
import { newPayer, signPayment } from '../support/payments/payers.ts';
import { paidStage } from '../support/stages/paid.ts';
import { until } from '../support/until.ts';

// The API as processes that are killed, stopped and shut down in the middle of paid requests.

const stage = await paidStage();

const quick = { limits: { leaseMs: 500 }, observer: { everyMs: 500 } };
const start = (env: Readonly<Record<string, string>> = {}): ApiProcess =>
  startApiProcess(withApiLimits({ ...stage.env, ...env }, { drain: { graceMs: 0 }, paid: quick }));

const started = await forFile(new AsyncDisposableStack());
let running: ApiProcess[] = [];

/** Returns the process that still runs at this place of the list, or starts one, which later tests use too. */
function serving(at: 0 | 1): ApiProcess {
  running = running.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  while (running.length <= at) running.push(started.use(start({ DRAIN_TIMEOUT_MS: '3s' })));
  return running[at] ?? start();
}

async function newPayment() {
  const payer = await newPayer(stage.chain.chain, 5);
  return { payer, header: (await signPayment(payer)).header };
}

test.each([
  ['after settling, before updating the row', false],
  ['after updating the row, before answering', true],
])('row 32: after a process is killed %s, the next process serves the same payment', async (_when, isWritten) => {
  const { payer, header } = await newPayment();
  const first = serving(0);
  const url = await first.url;
  stage.chain.facilitator.next('settle', async (exchange) => {
    const answer = await exchange.forward();
    if (!isWritten) return void first.child.kill('SIGKILL');
    // The database executes the statement, and its answer never arrives: the process can't continue.
    await stage.postgres.set('mute');
    exchange.answer(200, answer);
  });
  const broken = expect(getPaid(url, 'q=quartz', header)).rejects.toThrow();
  if (isWritten) {
    await until(async () => (await stage.rows(payer))[0]?.status === 'settled', 'the settled row');
    first.child.kill('SIGKILL');
  }
  await broken;
  await first.ended;
  await stage.postgres.set('pass');
  expect(await stage.rows(payer)).toMatchObject([{ status: isWritten ? 'settled' : 'settling' }]);
  expectServed(await buyUntilServed(await serving(0).url, header));
  expect(await stage.spent(payer)).toBe(price);
  // Its header is public by now, so showing it marks no delivery.
  expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled', delivered_at: null }]);
});

async function buyUntilServed(url: string, header: string) {
  for (;;) {
    const answer = await getPaid(url, 'q=quartz', header);
    if (answer.status !== 503) return answer;
    await delay(50);
  }
}

test.each([
  ['before settlement', 'verify'],
  ['during settlement', 'settle'],
] as const)(
  'a process sleeps past its lease %s: another process settles, and both serve that transaction',
  async (_when, path) => {
    const { payer, header } = await newPayment();
    const sleeper = serving(0);
    const [sleeping, awake] = [await sleeper.url, await serving(1).url];
    const asleep = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    stage.chain.facilitator.next(path, async (exchange) => {
      const verified = path === 'verify' ? await exchange.forward() : null;
      sleeper.child.kill('SIGSTOP');
      asleep.resolve();
      if (verified === null) await goOn.promise;
      // "Nonce already used", after its own intent: that must not count as "not paid".
      exchange.answer(200, verified ?? (await exchange.forward()));
    });
    const settled = stage.chain.facilitator.asked.settle;
    const slept = getPaid(sleeping, 'q=quartz', header);
    await asleep.promise;
    const { transaction } = expectServed(await buyUntilServed(awake, header));
    goOn.resolve();
    sleeper.child.kill('SIGCONT');
    expect(expectServed(await slept)).toEqual({ transaction });
    if (path === 'verify') expect(stage.chain.facilitator.asked.settle).toBe(settled + 1);
    expect(await stage.spent(payer)).toBe(price);
    expect(await stage.paidRows(payer)).toMatchObject([{ tx_hash: transaction }]);
  },
);

test('SIGTERM during a settlement asks the client to retry with the same payment before the process exits', async () => {
  const { payer, header } = await newPayment();
  const ending = serving(0);
  const url = await ending.url;
  const settling = Promise.withResolvers<void>();
  stage.chain.facilitator.next('settle', async (exchange) => {
    await exchange.forward();
    settling.resolve();
  });
  const asked = getPaid(url, 'q=quartz', header);
  await settling.promise;
  ending.child.kill('SIGTERM');
  expectRetry(await asked, 503, 'settlement_unknown');
  expect((await ending.ended).code).toBe(0);
  expectServed(await buyUntilServed(await serving(0).url, header));
  expect(await stage.spent(payer)).toBe(price);
});

test('a node of another chain is refused at start, with the reason', async () => {
  const wrong = start({ X402_NETWORK: 'eip155:8453', X402_FACILITATOR_URL: 'http://127.0.0.1:9' });
  await once(wrong.child, 'exit');
  const { code, words } = await wrong.ended;
  expect({ code, words }).toEqual({ code: 1, words: expect.stringContaining('X402_RPC_URL is a node of chain 84532') });
});
