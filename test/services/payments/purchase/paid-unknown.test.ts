import { chainClient } from '../../../../dev/chain/chain.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { type Behaviour, faults, pass } from '../../../support/proxies/facilitator.ts';
import { hasty, paidStage, patient } from '../../../support/stages/paid.ts';

// Rows 18 to 24 and 31 of the behaviours: a settlement whose outcome is not known at once.

const stage = await paidStage();
const api = await stage.startApi();
const patientApi = await stage.startApi({}, patient);
let payer: Payer;

beforeEach(async () => {
  payer = await newPayer(stage.chain.chain);
});

const spent = () => stage.spent(payer);
const used = (nonce: `0x${string}`): Promise<boolean> =>
  chainClient(stage.chain.chain).readContract({
    address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    abi: [
      {
        type: 'function',
        name: 'authorizationState',
        stateMutability: 'view',
        inputs: [{ type: 'address' }, { type: 'bytes32' }],
        outputs: [{ type: 'bool' }],
      },
    ],
    functionName: 'authorizationState',
    args: [payer.account.address, nonce],
  });

/** Refuses connections from the moment on at which it would be asked to settle. */
const refuseAtSettle: Behaviour = async (exchange) => {
  exchange.answer(200, await exchange.forward());
  await stage.chain.facilitator.refuse();
};

test('row 18: the facilitator refuses the connection at settlement: certain that nothing was charged', async () => {
  const { header, authorization } = await signPayment(payer);
  stage.chain.facilitator.next('verify', refuseAtSettle);
  const answer = await api.get('q=quartz', header);
  await stage.chain.facilitator.listen();
  expectRetry(answer, 503, 'facilitator_unavailable');
  expect(answer.body.error).toContain('Nothing was charged');
  expect(await stage.rows(payer)).toMatchObject([{ status: 'settling', tx_hash: null, lease_until: null }]);
  expect(await used(authorization.nonce)).toBe(false);
  expectServed(await api.get('q=quartz', header));
  expect(await spent()).toBe(price);
});

test.each([['cutAfter'], ['hangAfter']] as const)(
  'row 19: the settlement lands and its answer is lost (%s): served with the transaction found on the chain',
  async (fault) => {
    const { header } = await signPayment(payer);
    stage.chain.facilitator.next('settle', faults[fault]);
    await using api = await stage.startApi({}, { paid: { ...hasty.settle.paid, ...patient.paid } });
    const { transaction } = expectServed(await api.get('q=quartz', header));
    const receipt = await chainClient(stage.chain.chain).getTransactionReceipt({
      hash: transaction as `0x${string}`,
    });
    expect(receipt.status).toBe('success');
    expect(await spent()).toBe(price);
    expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', tx_hash: transaction }]);
  },
);

describe('row 20: no answer, and nothing landed', () => {
  test.each(['reset', 'hang', 'error', 'html', 'garbage', 'shape'] as const)('%s', async (fault) => {
    const { header } = await signPayment(payer);
    stage.chain.facilitator.next('settle', faults[fault]);
    await using asked = await stage.startApi({}, fault === 'hang' ? hasty.settle : {});
    const answer = await asked.get('q=quartz', header);
    expectRetry(answer, 503, 'settlement_unknown');
    expect(answer.body.error).toContain('same PAYMENT-SIGNATURE');
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settling', lease_until: null }]);
    expect(await spent()).toBe(0n);
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
    expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', delivered_at: expect.any(Date) }]);
  });
});

/** The settlement lands, its answer is lost, and the chain can't be asked either. */
async function landedUnseen(header: string): Promise<void> {
  stage.chain.facilitator.next('settle', async (exchange) => {
    await exchange.forward();
    await stage.rpc.set('refuse');
    exchange.reset();
  });
  const answer = await api.get('q=quartz', header);
  await stage.rpc.set('pass');
  expectRetry(answer, 503, 'settlement_unknown');
  expect(await spent()).toBe(price);
}

test('row 21: landed, answer lost and the chain out of reach: 503, then 200 without a second charge', async () => {
  const { header } = await signPayment(payer);
  await landedUnseen(header);
  expect(await stage.rows(payer)).toMatchObject([{ status: 'settling' }]);
  const answer = await api.get('q=quartz', header);
  expectServed(answer);
  expect(answer.headers.get('Payment-Replayed')).toBe('true');
  expect(await spent()).toBe(price);
});

describe('row 22: the client simply calls again, with a fresh authorization', () => {
  test('after a settlement that landed unseen: the earlier payment is served', async () => {
    await landedUnseen((await signPayment(payer)).header);
    const fresh = await signPayment(payer);
    const answer = await api.get('q=quartz', fresh.header);
    expectServed(answer);
    expect(answer.headers.get('Payment-Replayed')).toBe('true');
    expect(await spent()).toBe(price);
    expect(await used(fresh.authorization.nonce)).toBe(false);
  });

  test('after one that did not land: the earlier authorization is settled, not the new one', async () => {
    const earlier = await signPayment(payer);
    stage.chain.facilitator.next('settle', faults.reset);
    expectRetry(await api.get('q=quartz', earlier.header), 503, 'settlement_unknown');
    const fresh = await signPayment(payer);
    expectServed(await api.get('q=quartz', fresh.header));
    expect(await spent()).toBe(price);
    expect([await used(earlier.authorization.nonce), await used(fresh.authorization.nonce)]).toEqual([true, false]);
  });

  test('after one whose authorization has expired unused: the new one pays', async () => {
    const earlier = await signPayment(payer, { validForSeconds: 16 });
    stage.chain.facilitator.next('settle', faults.reset);
    expectRetry(await api.get('q=quartz', earlier.header), 503, 'settlement_unknown');
    const chain = chainClient(stage.chain.chain);
    await chain.setNextBlockTimestamp({ timestamp: earlier.authorization.validBefore });
    await chain.mine({ blocks: 1 });
    // It may be taken back yet.
    expectRetry(await api.get('q=quartz', (await signPayment(payer)).header), 503, 'settlement_unknown');
    await chain.mine({ blocks: 20 });
    const fresh = await signPayment(payer);
    expectServed(await api.get('q=quartz', fresh.header));
    expect(await spent()).toBe(price);
    expect([await used(earlier.authorization.nonce), await used(fresh.authorization.nonce)]).toEqual([false, true]);
    expectPaymentRequired(
      await api.get('q=quartz', (await signPayment(payer, { validForSeconds: 1 })).header),
      'invalid_exact_evm_payload_authorization_valid_before',
    );
  });
});

describe('row 23: the settlement waits to be mined', () => {
  const asError: Behaviour = async (exchange) => exchange.answer(500, await exchange.forward());

  test.each([
    ['status 200', pass],
    ['status 500', asError],
  ] as const)('pending with %s, mined in time: 200', async (_what, behaviour) => {
    const chain = chainClient(stage.chain.chain);
    const { header } = await signPayment(payer);
    await chain.setAutomine(false);
    stage.chain.facilitator.next('settle', async (exchange) => {
      await behaviour(exchange);
      await chain.mine({ blocks: 1 });
    });
    const answer = await patientApi.get('q=quartz', header);
    await chain.setAutomine(true);
    expectServed(answer);
    expect(await spent()).toBe(price);
  });

  test('the chain stops: 503, 503 again without another transaction, 200 after mining', async () => {
    const chain = chainClient(stage.chain.chain);
    const { header } = await signPayment(payer);
    await chain.setAutomine(false);
    const before = stage.chain.facilitator.asked.settle;
    expectRetry(await api.get('q=quartz', header), 503, 'settlement_unknown');
    expectRetry(await api.get('q=quartz', header), 503, 'settlement_unknown');
    expect(stage.chain.facilitator.asked.settle).toBe(before + 1);
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settling', tx_hash: expect.stringMatching(/^0x/) }]);
    await chain.mine({ blocks: 1 });
    await chain.setAutomine(true);
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
  });
});

describe('row 24: "success" with a hash that is none', () => {
  const claim =
    (transaction: string): Behaviour =>
    (exchange) =>
      exchange.answer(200, JSON.stringify({ success: true, transaction, network: 'eip155:84532' }));

  test('an empty hash after a real settlement: the real one is found', async () => {
    const { header } = await signPayment(payer);
    stage.chain.facilitator.next('settle', async (exchange) => {
      const real = JSON.parse(await exchange.forward()) as object;
      exchange.answer(200, JSON.stringify({ ...real, transaction: '' }));
    });
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
  });

  test('a made-up hash: not served unpaid; the retry settles', async () => {
    const { header } = await signPayment(payer);
    stage.chain.facilitator.next('settle', claim(`0x${'ab'.repeat(32)}`));
    expectRetry(await api.get('q=quartz', header), 503, 'settlement_unknown');
    expect(await spent()).toBe(0n);
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
  });

  test('the chain out of reach while the facilitator reports success: 503, then served by the chain', async () => {
    const { header } = await signPayment(payer);
    stage.chain.facilitator.next('settle', async (exchange) => {
      const answer = await exchange.forward();
      await stage.rpc.set('refuse');
      exchange.answer(200, answer);
    });
    const answer = await api.get('q=quartz', header);
    await stage.rpc.set('pass');
    expectRetry(answer, 503, 'settlement_unknown');
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settling', lease_until: null }]);
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
  });
});

describe('row 31: the client leaves during the settlement', () => {
  test.each(['the same payment', 'a fresh one'])('what was paid can be had with %s', async (which) => {
    const first = await signPayment(payer);
    const client = new AbortController();
    const landed = Promise.withResolvers<void>();
    stage.chain.facilitator.next('settle', async (exchange) => {
      const answer = await exchange.forward();
      client.abort();
      exchange.answer(200, answer);
      landed.resolve();
    });
    await expect(api.get('q=quartz', first.header, { signal: client.signal })).rejects.toThrow();
    await landed.promise;
    expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled', delivered_at: null }]);
    expect(await spent()).toBe(price);
    const header = which === 'a fresh one' ? (await signPayment(payer)).header : first.header;
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
    // Everybody can show a payment that the chain shows: it stays the payer's.
    if (which === 'a fresh one') {
      expect(await stage.settledRows(payer)).toMatchObject([{ delivered_at: expect.any(Date) }]);
    } else expect(await stage.restingRows(payer)).toMatchObject([{ delivered_at: null }]);
  });
});
