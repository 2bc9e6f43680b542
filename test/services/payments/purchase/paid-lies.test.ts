import { sendBatch, sendTransfer, signAuthorization } from '../../../../dev/chain/authorizations.ts';
import { chainClient } from '../../../../dev/chain/chain.ts';
import { price } from '../../../../dev/chain/payment.ts';
import type { Hex } from '../../../../src/payments/protocol/networks.ts';
import {
  expectPaymentRequired,
  expectRetry,
  expectServed,
  type PaidAnswer,
} from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, type SignedPayment, signPayment } from '../../../support/payments/payers.ts';
import { type Behaviour, faults, pass, saying } from '../../../support/proxies/facilitator.ts';
import { hasty, paidStage } from '../../../support/stages/paid.ts';
import { until } from '../../../support/until.ts';

// A facilitator that lies, and payers who spend their authorizations themselves, on a chain that mines on command.

const stage = await paidStage();
const api = await stage.startApi();
let payer: Payer;
let receivedBefore: bigint;

beforeEach(async () => {
  payer = await newPayer(stage.chain.chain);
  receivedBefore = await stage.received();
});

afterEach(async () => {
  await chain().setAutomine(true);
  await chain().mine({ blocks: 1 });
  stage.chain.facilitator.always('settle', pass);
  await stage.rpc.set('pass');
});

const chain = () => chainClient(stage.chain.chain);
const spent = () => stage.spent(payer);
const received = async (): Promise<bigint> => (await stage.received()) - receivedBefore;

const answering =
  (answer: object): Behaviour =>
  (exchange) =>
    exchange.answer(200, JSON.stringify({ network: 'eip155:84532', ...answer }));

/** Sends the payment to the chain and answers something vague. */
const sendsAndIsVague: Behaviour = async (exchange) => {
  await exchange.forward();
  await saying('unexpected_settle_error')(exchange);
};

/** The outcome is open: to be asked for with the same payment, and no word of "nothing". */
function expectUnknown(answer: PaidAnswer): void {
  expectRetry(answer, 503, 'settlement_unknown');
  expect(answer.body.error).toContain('Retry the same request with the same PAYMENT-SIGNATURE');
  expect(answer.text).not.toContain('Nothing was charged');
}

describe('a settlement that was sent but reported vaguely, while its transaction is pending', () => {
  const later: readonly (readonly [string, Behaviour | 'refuses'])[] = [
    ['is answered 429', faults.busy],
    ['finds the facilitator down', 'refuses'],
    ['is refused for insufficient funds', saying('insufficient_funds')],
    ['is refused as too late', saying('invalid_exact_evm_payload_authorization_valid_before')],
  ];

  test.each(later)('stays unknown if the next attempt %s, and is charged once', async (_what, behaviour) => {
    const { facilitator } = stage.chain;
    await chain().setAutomine(false);
    const { header } = await signPayment(payer);
    facilitator.next('settle', async (exchange) => {
      await sendsAndIsVague(exchange);
      if (behaviour === 'refuses') await facilitator.refuse();
    });
    if (behaviour !== 'refuses') facilitator.always('settle', behaviour);
    expectUnknown(await api.get('q=quartz', header));
    expectUnknown(await api.get('q=quartz', header));
    expectUnknown(await api.get('q=quartz', (await signPayment(payer)).header));
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settling', lease_until: null }]);

    await chain().mine({ blocks: 1 });
    const answer = await api.get('q=quartz', header);
    if (behaviour === 'refuses') await facilitator.listen();
    const { transaction } = expectServed(answer);
    expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled', tx_hash: transaction }]);
    expect([await spent(), await received()]).toEqual([price, price]);
  });
});

describe('after a facilitator calls a payment invalid and sends it anyway', () => {
  async function refusedAndSent(): Promise<{ readonly payment: SignedPayment; readonly transaction: Hex }> {
    await chain().setAutomine(false);
    const payment = await signPayment(payer);
    const sent = Promise.withResolvers<Hex>();
    stage.chain.facilitator.next('verify', async (exchange) => {
      sent.resolve(await sendTransfer(stage.chain.chain, payment));
      await answering({ isValid: false, invalidReason: 'insufficient_funds' })(exchange);
    });
    expectPaymentRequired(await api.get('q=quartz', payment.header), 'insufficient_funds');
    expect(await stage.restingRows(payer)).toMatchObject([{ status: 'released' }]);
    return { payment, transaction: await sent.promise };
  }

  test.each(['the same payment', 'a new one, which takes nothing'])('its payer is served with %s', async (which) => {
    const { payment, transaction } = await refusedAndSent();
    await chain().mine({ blocks: 1 });
    const { header } = which === 'the same payment' ? payment : await signPayment(payer);
    expect(expectServed(await api.get('q=quartz', header))).toEqual({ transaction });
    expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled', tx_hash: transaction }]);
    expect([await spent(), await received()]).toEqual([price, price]);
  });

  test('the observer finds it and records it in the ledger', async () => {
    const { payment, transaction } = await refusedAndSent();
    await api.paid.observe();
    expect(await stage.restingRows(payer)).toMatchObject([{ status: 'released' }]);
    await chain().mine({ blocks: 1 });
    // It looks when the authorization has expired.
    const expire = (seconds: number) =>
      stage.stage.pool.query('update x402_payments set valid_before = valid_before - $2 where payer = $1', [
        payer.address,
        seconds,
      ]);
    await expire(400);
    await api.paid.observe();
    await expire(-400);
    expect(await stage.restingRows(payer)).toMatchObject([
      { status: 'settled', tx_hash: transaction, delivered_at: null },
    ]);
    expect(expectServed(await api.get('q=quartz', payment.header))).toEqual({ transaction });
    expect([await spent(), await received()]).toEqual([price, price]);
  });
});

describe('one transaction by the payer that uses the authorizations of six searches but pays for one', () => {
  const searches = 6;
  const query = (at: number): string => `q=batch+${at}`;

  /** Six payments to us, and the same authorizations with the payer as recipient, except the last. */
  async function makeBatch() {
    const payments = await Promise.all(Array.from({ length: searches }, () => signPayment(payer)));
    const spending = await Promise.all(
      payments.map((payment, at) =>
        at === searches - 1
          ? payment
          : signAuthorization(payer.account, { ...payment.authorization, to: payer.account.address }),
      ),
    );
    const send = async (): Promise<Hex> => {
      const transaction = await sendBatch(stage.chain.chain, spending);
      await chain().mine({ blocks: 1 });
      expect(await chain().getTransactionReceipt({ hash: transaction })).toMatchObject({ status: 'success' });
      return transaction;
    };
    return { payments, send };
  }

  async function expectOneServed(answers: readonly PaidAnswer[], payments: readonly SignedPayment[]): Promise<void> {
    const last = searches - 1;
    for (const answer of answers.slice(0, last)) {
      expectUnknown(answer);
      expect(answer.text).not.toContain('batch');
    }
    const { transaction } = expectServed(answers[last] as PaidAnswer);
    await chain().mine({ blocks: 20 });
    for (const [at, { header }] of payments.slice(0, last).entries()) {
      expectPaymentRequired(await api.get(query(at), header), 'invalid_exact_evm_nonce_already_used');
    }
    const settled = (await stage.restingRows(payer)).filter(({ status }) => status === 'settled');
    expect(settled).toMatchObject([{ nonce: payments[last]?.authorization.nonce, tx_hash: transaction }]);
    expect([await spent(), await received()]).toEqual([price, price]);
  }

  test('mined while settlements are pending and reported as a success, serves one search', async () => {
    const { payments, send } = await makeBatch();
    const { facilitator } = stage.chain;
    const mined = Promise.withResolvers<Hex>();
    const waiting = facilitator.asked.settle + searches;
    facilitator.always('settle', async (exchange) => {
      await answering({ success: true, transaction: await mined.promise, payer: payer.address })(exchange);
    });
    const under = payments.map(({ header }, at) => api.get(query(at), header));
    await until(() => facilitator.asked.settle >= waiting, 'all settlements');
    mined.resolve(await send());
    await expectOneServed(await Promise.all(under), payments);
  });

  test('mined after unanswered settlements, serves one search, immediately and after the observer', async () => {
    const { payments, send } = await makeBatch();
    stage.chain.facilitator.always('settle', faults.hang);
    {
      await using api = await stage.startApi({}, hasty.settle);
      const answers = await Promise.all(payments.map(({ header }, at) => api.get(query(at), header)));
      for (const answer of answers) expectUnknown(answer);
    }
    await send();
    const answers = await Promise.all(payments.map(({ header }, at) => api.get(query(at), header)));
    await expectOneServed(answers, payments);
    await chain().mine({ blocks: 20 });
    await api.paid.observe();
    const rows = await stage.restingRows(payer);
    expect(rows.map(({ status, nonce }) => ({ status, nonce }))).toEqual([
      { status: 'settled', nonce: payments[searches - 1]?.authorization.nonce },
    ]);
  });
});
