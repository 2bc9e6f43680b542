import { price } from '../../../../dev/chain/payment.ts';
import { readValue } from '../../../../src/postgres/statements.ts';
import { expectRetry, expectServed, type PaidAnswer } from '../../../support/payments/paid-answer.ts';
import { newPayer, newPayers, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { type NodeBehaviour, nodeFaults, startNodeProxy } from '../../../support/proxies/chain-node.ts';
import { type Behaviour, pass } from '../../../support/proxies/facilitator.ts';
import { type PaidApi, paidStage } from '../../../support/stages/paid.ts';
import { until } from '../../../support/until.ts';

// A flood of payments that can never settle, together with some that do; and payments beyond the slots of a process.

const stage = await paidStage();

afterEach(() => stage.chain.facilitator.always('verify', pass));

const rowsInAll = () => readValue<number>(stage.stage.pool, 'select count(*)::int from x402_payments');

/** A payer who has paid before. */
async function newRegular(api: PaidApi, searches: number): Promise<Payer> {
  const payer = await newPayer(stage.chain.chain, searches + 1);
  expectServed(await api.get('q=first', (await signPayment(payer)).header));
  await stage.settledRows(payer);
  return payer;
}

/** Correctly signed by wallets that were made up. */
async function signUnfunded(count: number): Promise<readonly string[]> {
  const payers = await newPayers(stage.chain.chain, count, 0);
  return Promise.all(payers.map(async (payer) => (await signPayment(payer)).header));
}

/** Sends a payment like a client: again after each 503. Returns the whole duration. */
async function buy(api: PaidApi, query: string, header: string): Promise<{ readonly ms: number; answer: PaidAnswer }> {
  const startMs = performance.now();
  for (;;) {
    const answer = await api.get(query, header);
    if (answer.status !== 503) return { ms: performance.now() - startMs, answer };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function whenAsked(count: number): Promise<void> {
  await until(() => stage.chain.facilitator.asked.verify >= count, `${count} verifications`);
}

test('row 9: 100 concurrent unfunded payments create no row and call no facilitator, and real payers are served', async () => {
  await using api = await stage.startApi();
  const searches = 3;
  const regular = await newRegular(api, searches);
  const newcomer = await newPayer(stage.chain.chain, 1);
  const headers = await signUnfunded(100);
  const mine = await Promise.all(Array.from({ length: searches }, () => signPayment(regular)));
  const first = await signPayment(newcomer);
  const before = { rows: await rowsInAll(), asked: { ...stage.chain.facilitator.asked } };

  const flood = headers.map((header, at) => api.get(`q=flood+${at}`, header));
  const ofNewcomer = buy(api, 'q=new', first.header);
  const times: number[] = [];
  for (const [at, { header }] of mine.entries()) {
    const { answer, ms } = await buy(api, `q=mine+${at}`, header);
    expectServed(answer);
    times.push(ms);
  }
  const { answer, ms } = await ofNewcomer;
  expectServed(answer);
  const seconds = [...times, ms].map((each) => (each / 1000).toFixed(1));
  process.stderr.write(`During 100 unfunded payments, real payers were served within ${seconds.join(', ')} s.\n`);
  const codes = new Set((await Promise.all(flood)).map(({ status, body }) => `${status} ${body.code}`));
  expect([...codes].filter((code) => !['402 insufficient_funds', '503 overloaded'].includes(code))).toEqual([]);
  expect(codes).toContain('402 insufficient_funds');
  expect(await rowsInAll()).toBe(before.rows + searches + 1);
  expect(stage.chain.facilitator.asked).toEqual({
    verify: before.asked.verify + searches + 1,
    settle: before.asked.settle + searches + 1,
  });
});

describe('Payment slots', () => {
  /** Holds verifications until the promise is resolved, and then resets their connections. */
  function holdVerifications(): PromiseWithResolvers<void> {
    const ended = Promise.withResolvers<void>();
    stage.chain.facilitator.always('verify', async (exchange) => {
      await ended.promise;
      exchange.reset();
    });
    return ended;
  }

  test('are reserved for earlier payers during an endless flood of new payers', async () => {
    await using api = await stage.startApi({}, { paid: { concurrentMax: 9 } });
    const regular = await newRegular(api, 1);
    const crowd = await newPayers(stage.chain.chain, 8, 1);
    const ended = holdVerifications();
    const asked = stage.chain.facilitator.asked.verify;
    const flood = crowd.map(async (payer) => api.get('q=crowd', (await signPayment(payer)).header));
    await whenAsked(asked + 6);
    stage.chain.facilitator.always('verify', pass);
    const newcomer = await newPayer(stage.chain.chain, 1);
    expectRetry(await api.get('q=new', (await signPayment(newcomer)).header), 503, 'overloaded');
    expect(await stage.rows(newcomer)).toEqual([]);
    expectServed(await api.get('q=regular', (await signPayment(regular)).header));
    ended.resolve();
    const codes = (await Promise.all(flood)).map(({ body }) => body.code).sort();
    expect(codes).toEqual([...Array<string>(6).fill('facilitator_unavailable'), 'overloaded', 'overloaded']);
  });

  test('cannot all be taken by one payer who repeats the same request', async () => {
    await using api = await stage.startApi({}, { paid: { concurrentMax: 30 } });
    const regular = await newRegular(api, 1);
    const ended = holdVerifications();
    const asked = stage.chain.facilitator.asked.verify;
    const { header } = await signPayment(regular);
    const flood = Array.from({ length: 40 }, () => api.get('q=again', header));
    await whenAsked(asked + 1);
    stage.chain.facilitator.always('verify', pass);
    const newcomer = await newPayer(stage.chain.chain, 1);
    const { answer } = await buy(api, 'q=new', (await signPayment(newcomer)).header);
    expectServed(answer);
    ended.resolve();
    const codes = (await Promise.all(flood)).map(({ status, body }) => `${status} ${body.code}`);
    expect(codes.filter((code) => code === '429 too_many_payments')).toHaveLength(40 - 16);
    expect(await stage.restingRows(regular)).toHaveLength(2);
  });

  test('are limited for forgers who name a known payer, and that payer does not wait for them', async () => {
    await using node = await startNodeProxy(stage.chain.chain);
    await using api = await stage.startApi({ X402_RPC_URL: node.url }, { paid: { concurrentMax: 8 } });
    const regular = await newRegular(api, 1);
    const forger = await newPayer(stage.chain.chain, 0);
    const forged = await Promise.all(
      Array.from({ length: 20 }, () => signPayment(forger, { from: regular.account.address })),
    );
    const ended = Promise.withResolvers<void>();
    const cutLate: NodeBehaviour = async (request) => {
      await ended.promise;
      nodeFaults.cut(request);
    };
    node.set(cutLate, ['eth_getCode']);
    const asked = node.asked.get('eth_getCode') ?? 0;
    const flood = forged.map(({ header }) => api.get('q=forged', header));
    await until(() => (node.asked.get('eth_getCode') ?? 0) >= asked + 2, 'two questions for code');
    expectServed(await api.get('q=regular', (await signPayment(regular)).header));
    expect(node.asked.get('eth_getCode')).toBe(asked + 2);
    ended.resolve();
    for (const { status } of await Promise.all(flood)) expect(status).toBe(503);
  });
});

describe('with a sixth of REQUESTS_MAX as payment slots, all of them taken', () => {
  const places = 2;

  function expectShed(answer: PaidAnswer): void {
    expectRetry(answer, 503, 'overloaded');
    expect(answer.headers.get('Retry-After')).toBe('1');
    expect(answer.headers.get('X-Request-Cost')).toBe('0');
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(answer.body.error).toContain('nothing was done or charged');
    // Neither an offer nor a receipt: the payer need not sign again, and nothing was paid.
    expect({ required: answer.required, receipt: answer.receipt }).toEqual({ required: null, receipt: null });
  }

  test('a payment is refused unread, and charged once when a slot is free, however often it is sent', async () => {
    await using api = await stage.startApi({ REQUESTS_MAX: String(6 * places) });
    const payers = await newPayers(stage.chain.chain, places + 1);
    const headers = await Promise.all(payers.map(async (payer) => (await signPayment(payer)).header));
    const [payer, ...others] = payers as [Payer, ...Payer[]];
    const [header = '', ...ofOthers] = headers;
    const { facilitator } = stage.chain;
    const gate = Promise.withResolvers<void>();
    const asked = facilitator.asked.verify;
    const silent: Behaviour = async (exchange) => {
      await gate.promise;
      await pass(exchange);
    };
    facilitator.next('verify', silent, places);
    const under = ofOthers.map((other) => buy(api, 'q=quartz', other));
    await whenAsked(asked + places);

    const situation = async () => ({ asked: { ...facilitator.asked }, received: await stage.received() });
    const before = await situation();
    for (const sent of [header, header, header, undefined]) expectShed(await api.get('q=quartz', sent));
    expect(await situation()).toEqual(before);
    expect(api.searches()).toBe(0);
    expect(await stage.rows(payer)).toEqual([]);

    const copies = Array.from({ length: 6 }, () => buy(api, 'q=quartz', header));
    gate.resolve();
    for (const { answer } of await Promise.all(under)) expectServed(answer);
    const transactions = (await Promise.all(copies)).map(({ answer }) => expectServed(answer).transaction);
    expect(new Set(transactions).size).toBe(1);
    expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', tx_hash: transactions[0] }]);
    for (const one of [payer, ...others]) {
      expect(await stage.settledRows(one)).toHaveLength(1);
      expect(await stage.spent(one)).toBe(price);
    }
    expect(await stage.received()).toBe(before.received + price * BigInt(places + 1));
  });
});
