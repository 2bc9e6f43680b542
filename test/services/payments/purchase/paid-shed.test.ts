import { price } from '../../../../dev/chain/payment.ts';
import { expectRetry, expectServed, type PaidAnswer } from '../../../support/payments/paid-answer.ts';
import { newPayer, newPayers, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { type Behaviour, pass } from '../../../support/proxies/facilitator.ts';
import { type PaidApi, paidStage } from '../../../support/stages/paid.ts';

// Payments that arrive while a process has as many as a sixth of REQUESTS_MAX, their share.

const stage = await paidStage();
let api: PaidApi;
let payer: Payer;
const places = 2;

beforeEach(async () => {
  api = await stage.startApi({ REQUESTS_MAX: String(6 * places) });
  payer = await newPayer(stage.chain.chain);
});

afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

/** Fills every slot with payments that the facilitator leaves unanswered until it may continue. */
async function takePlaces() {
  const { facilitator } = stage.chain;
  const gate = Promise.withResolvers<void>();
  const silent: Behaviour = async (exchange) => {
    await gate.promise;
    await pass(exchange);
  };
  const payers = await newPayers(stage.chain.chain, places);
  const askedBefore = facilitator.asked.verify;
  facilitator.next('verify', silent, places);
  const headers = await Promise.all(payers.map(async (one) => (await signPayment(one)).header));
  const under = headers.map((header) => api.get('q=quartz', header));
  while (facilitator.asked.verify < askedBefore + places) await new Promise(setImmediate);
  return {
    payers,
    async release(): Promise<readonly PaidAnswer[]> {
      gate.resolve();
      return Promise.all(headers.map(async (header, at) => repeatedWhile503(header, await under[at])));
    },
  };
}

/** Repeats a payment whose outcome is not known yet. */
async function repeatedWhile503(header: string, first: PaidAnswer | undefined): Promise<PaidAnswer> {
  let answer = first;
  while (answer === undefined || answer.status === 503) answer = await api.get('q=quartz', header);
  return answer;
}

/** Repeats a payment while it is asked to retry: a slot is released a moment after its answer. */
async function sendUntilTaken(header: string): Promise<PaidAnswer> {
  for (;;) {
    const answer = await api.get('q=quartz', header);
    if (answer.status !== 503) return answer;
    expectShed(answer);
  }
}

function expectShed(answer: PaidAnswer): void {
  expectRetry(answer, 503, 'overloaded');
  expect(answer.headers.get('Retry-After')).toBe('1');
  expect(answer.headers.get('X-Request-Cost')).toBe('0');
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(answer.body).toMatchObject({
    error: expect.stringContaining('nothing was done or charged'),
    code: 'overloaded',
  });
  // Neither an offer nor a receipt: the payer need not sign again, and nothing was paid.
  expect({ required: answer.required, receipt: answer.receipt }).toEqual({ required: null, receipt: null });
}

test('with all slots taken, a payment is refused unread, and charged once after one is released', async () => {
  const taken = await takePlaces();
  const before = { asked: { ...stage.chain.facilitator.asked }, received: await stage.received() };
  const { header } = await signPayment(payer);
  for (let attempt = 1; attempt <= 3; attempt += 1) expectShed(await api.get('q=quartz', header));
  const after = { asked: { ...stage.chain.facilitator.asked }, received: await stage.received() };
  expect(after).toEqual(before);
  expect(api.searches()).toBe(0);
  expect(await stage.rows(payer)).toEqual([]);
  expect(await stage.spent(payer)).toBe(0n);

  for (const answer of await taken.release()) expectServed(answer);
  const { transaction } = expectServed(await sendUntilTaken(header));
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', tx_hash: transaction }]);
  // The same payment again is the same purchase.
  expect(expectServed(await sendUntilTaken(header)).transaction).toBe(transaction);
  for (const one of [payer, ...taken.payers]) {
    expect(await stage.settledRows(one)).toHaveLength(1);
    expect(await stage.spent(one)).toBe(price);
  }
  expect(await stage.received()).toBe(before.received + price * BigInt(places + 1));
});

test('a payment that is sent many times at once while places are taken and left is charged once', async () => {
  const taken = await takePlaces();
  const { header } = await signPayment(payer);
  const sent = Array.from({ length: 6 }, () => sendUntilTaken(header));
  for (const answer of await taken.release()) expectServed(answer);
  const transactions = (await Promise.all(sent)).map((answer) => expectServed(answer).transaction);
  expect(new Set(transactions).size).toBe(1);
  expect(await stage.settledRows(payer)).toHaveLength(1);
  expect(await stage.spent(payer)).toBe(price);
});

test('with all slots taken, no request gets an offer either', async () => {
  const taken = await takePlaces();
  expectShed(await api.get('q=quartz'));
  for (const answer of await taken.release()) expectServed(answer);
});
