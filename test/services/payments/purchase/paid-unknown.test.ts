import { parseAbi } from 'viem';
import { chainClient } from '../../../../dev/chain/chain.ts';
import { localAsset } from '../../../../dev/chain/network.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { rotated } from '../../../../dev/explore/mutants/rotation.ts';
import type { Changes } from '../../../../dev/lib/limits.ts';
import type { Config } from '../../../../src/config/api.ts';
import type { Hex } from '../../../../src/payments/protocol/networks.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { type Behaviour, faults, pass, saying } from '../../../support/proxies/facilitator.ts';
import { hasty, hastyPostgres, paidStage, patient } from '../../../support/stages/paid.ts';
import { until } from '../../../support/until.ts';

// Rows 16 to 24, 30 and 31 of the behaviours: the facilitator, Postgres or the node fails during a purchase, or its client
// leaves, so that the outcome of a settlement is not known at once.

const stage = await paidStage();
const api = await stage.startApi();
const patientApi = await stage.startApi({}, patient);
const chain = chainClient(stage.chain.chain);
const { facilitator } = stage.chain;
let payer: Payer;

beforeEach(async () => {
  payer = await newPayer(stage.chain.chain);
});

const spent = () => stage.spent(payer);
const used = (nonce: Hex): Promise<boolean> =>
  chain.readContract({
    address: localAsset.address,
    abi: parseAbi(['function authorizationState(address, bytes32) view returns (bool)']),
    functionName: 'authorizationState',
    args: [payer.account.address, nonce],
  });

/** A failure while a payment is worked on. */
interface Trouble {
  begin(): unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Changes<Config>;
  readonly code: 'facilitator_unavailable' | 'settlement_unknown' | 'service_unavailable';
  /** The states of the payer's rows after the answer; undefined: any. */
  readonly states?: readonly ('released' | 'settling')[];
  /** The transfer is on the chain. */
  readonly landed?: boolean;
}

function atVerification(behaviour: Behaviour, limits?: Changes<Config>): Trouble {
  const begin = () => facilitator.next('verify', behaviour);
  return { begin, ...(limits && { limits }), code: 'facilitator_unavailable', states: ['released'] };
}

function atSettlement(behaviour: Behaviour, more: Pick<Trouble, 'limits' | 'landed'> = {}): Trouble {
  return {
    begin: () => facilitator.next('settle', behaviour),
    code: 'settlement_unknown',
    states: ['settling'],
    ...more,
  };
}

const afterVerification = (then: () => Promise<void>) => () =>
  facilitator.next('verify', async (exchange) => {
    const answer = await exchange.forward();
    await then();
    exchange.answer(200, answer);
  });

/** Refuses connections from the moment on at which it would be asked to settle. */
const refuseAtSettlement: Behaviour = async (exchange) => {
  exchange.answer(200, await exchange.forward());
  await facilitator.refuse();
};

/** The settlement lands, and the chain can't be reached any more. */
const landsUnseen =
  (isAnswered: boolean): Behaviour =>
  async (exchange) => {
    const answer = await exchange.forward();
    await stage.rpc.set('refuse');
    if (isAnswered) exchange.answer(200, answer);
    else exchange.reset();
  };

const madeUp = JSON.stringify({ success: true, transaction: `0x${'ab'.repeat(32)}`, network: 'eip155:84532' });
const lost = { limits: hastyPostgres, code: 'service_unavailable' } as const;

/** Each commit tries a part, because only what the facilitator answers differs. */
const verifyFaults = rotated('verify faults', ['reset', 'error', 'html', 'garbage', 'shape', 'busy'] as const, 3).tried;
const settleFaults = rotated('settle faults', ['reset', 'error', 'html', 'garbage', 'shape'] as const, 2).tried;

const troubles: readonly (readonly [title: string, trouble: Trouble])[] = [
  ...verifyFaults.map(
    (fault) => [`row 16: the facilitator fails at verification (${fault})`, atVerification(faults[fault])] as const,
  ),
  ['row 16: the facilitator hangs at verification', atVerification(faults.hang, hasty.verify)],
  [
    'row 17: there is no facilitator',
    { ...atVerification(pass), begin: () => undefined, env: { X402_FACILITATOR_URL: 'http://127.0.0.1:9' } },
  ],
  [
    'row 18: the facilitator refuses the connection at settlement',
    { ...atVerification(refuseAtSettlement), states: ['settling'] },
  ],
  ...settleFaults.map(
    (fault) =>
      [`row 20: the settlement gets no answer and does not land (${fault})`, atSettlement(faults[fault])] as const,
  ),
  ['row 20: the settlement hangs and does not land', atSettlement(faults.hang, { limits: hasty.settle })],
  ['row 21: the settlement lands, without answer and chain', atSettlement(landsUnseen(false), { landed: true })],
  ['row 24: success with a made-up hash', atSettlement((exchange) => exchange.answer(200, madeUp))],
  ['row 24: success while the chain is unreachable', atSettlement(landsUnseen(true), { landed: true })],
  ['Postgres refuses connections before the claim', { ...lost, begin: () => stage.postgres.set('refuse'), states: [] }],
  ['Postgres hangs before the claim', { ...lost, begin: () => stage.postgres.set('hang'), states: [] }],
  [
    'Postgres refuses connections before settlement, so that the intent is not stored',
    { ...lost, begin: afterVerification(() => stage.postgres.set('refuse')) },
  ],
  [
    'Postgres is silent before settlement, so that the intent is stored unnoticed',
    { ...lost, begin: afterVerification(() => stage.postgres.set('mute')) },
  ],
];

test.each(troubles)('%s: 503, then paid once with the same payment', async (_title, trouble) => {
  const { code, states, landed = false } = trouble;
  const { header, authorization } = await signPayment(payer);
  const settlements = facilitator.asked.settle;
  await using asked = await stage.startApi(trouble.env, trouble.limits);
  expectPaymentRequired(await asked.get('q=quartz'), 'payment_required');
  await trouble.begin();
  const answer = await asked.get('q=quartz', header);
  await Promise.all([stage.postgres.set('pass'), stage.rpc.set('pass'), facilitator.listen()]);
  expectRetry(answer, 503, code);
  const advice = code === 'settlement_unknown' ? 'same PAYMENT-SIGNATURE' : 'Nothing was charged';
  expect(answer.body.error).toContain(advice);
  if (states === undefined) await stage.lapse(payer);
  else {
    const rows = states.map((status) => ({ status, lease_until: null }));
    expect(await stage.rows(payer)).toMatchObject(rows);
  }
  if (!states?.includes('settling')) expect(facilitator.asked.settle).toBe(settlements);
  expect([await spent(), await used(authorization.nonce)]).toEqual(landed ? [price, true] : [0n, false]);
  const paid = await api.get('q=quartz', header);
  expectServed(paid);
  if (landed) expect(paid.headers.get('Payment-Replayed')).toBe('true');
  expect(await spent()).toBe(price);
  // Anyone can show a payment that is on the chain, so that showing it does not count as delivery.
  const rows = landed ? await stage.restingRows(payer) : await stage.settledRows(payer);
  expect(rows).toMatchObject([{ status: 'settled', delivered_at: landed ? null : expect.any(Date) }]);
});

test.each(['refuse', 'mute'] as const)(
  'Postgres fails after settlement (%s): 200, and the row is updated later',
  async (fault) => {
    const { header } = await signPayment(payer);
    await using asked = await stage.startApi({}, { ...hastyPostgres, paid: { limits: { leaseMs: 3_000 } } });
    facilitator.next('settle', async (exchange) => {
      const answer = await exchange.forward();
      await stage.postgres.set(fault);
      await until(async () => JSON.stringify(asked.log).includes('a lease could not be renewed'), 'a failed renewal');
      exchange.answer(200, answer);
    });
    const answer = await asked.get('q=quartz', header);
    await stage.postgres.set('pass');
    const { transaction } = expectServed(answer);
    let rows = await stage.rows(payer);
    if (rows[0]?.status !== 'settled') await stage.lapse(payer);
    while (rows[0]?.status !== 'settled') {
      await api.paid.observe();
      rows = await stage.rows(payer);
    }
    expect(rows).toMatchObject([{ tx_hash: transaction }]);
    expect((await api.get('q=quartz', header)).text).toBe(answer.text);
    expect(await spent()).toBe(price);
  },
);

const withoutHash: Behaviour = async (exchange) => {
  const real = JSON.parse(await exchange.forward()) as object;
  exchange.answer(200, JSON.stringify({ ...real, transaction: '' }));
};

test.each([
  ['row 19: lands, and its answer is lost', faults.cutAfter],
  ['row 19: lands, and its answer never comes', faults.hangAfter],
  ['row 24: lands, and its answer has an empty hash', withoutHash],
])('a settlement that %s is served with the transaction found on the chain', async (_what, behaviour) => {
  const { header } = await signPayment(payer);
  facilitator.next('settle', behaviour);
  await using asked = await stage.startApi({}, { paid: { ...hasty.settle.paid, ...patient.paid } });
  const { transaction } = expectServed(await asked.get('q=quartz', header));
  expect(await chain.getTransactionReceipt({ hash: transaction as Hex })).toMatchObject({ status: 'success' });
  expect(await spent()).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', tx_hash: transaction }]);
});

describe('row 22: the client repeats the call with a new authorization', () => {
  test.each([
    ['landed unseen: it is served', landsUnseen(false)],
    ['got no answer: it is settled', faults.reset],
    ['was refused: it is settled', saying('insufficient_funds')],
  ])('after an earlier payment that %s, and the new one is not used', async (_what, behaviour) => {
    const earlier = await signPayment(payer);
    facilitator.next('settle', behaviour);
    expectRetry(await api.get('q=quartz', earlier.header), 503, 'settlement_unknown');
    await stage.rpc.set('pass');
    const fresh = await signPayment(payer);
    const answer = await api.get('q=quartz', fresh.header);
    expectServed(answer);
    expect(answer.headers.get('Payment-Replayed')).toBe('true');
    expect(await spent()).toBe(price);
    expect([await used(earlier.authorization.nonce), await used(fresh.authorization.nonce)]).toEqual([true, false]);
    expect(await stage.settledRows(payer)).toMatchObject([{ nonce: earlier.authorization.nonce }]);
  });

  test('after one whose authorization expired unused: the new one pays', async () => {
    const earlier = await signPayment(payer, { validForSeconds: 60 });
    facilitator.next('settle', faults.reset);
    expectRetry(await api.get('q=quartz', earlier.header), 503, 'settlement_unknown');
    await chain.setNextBlockTimestamp({ timestamp: earlier.authorization.validBefore });
    await chain.mine({ blocks: 1 });
    // It may be taken back yet.
    expectRetry(await api.get('q=quartz', (await signPayment(payer)).header), 503, 'settlement_unknown');
    await chain.mine({ blocks: 20 });
    const fresh = await signPayment(payer);
    expectServed(await api.get('q=quartz', fresh.header));
    expect(await spent()).toBe(price);
    expect([await used(earlier.authorization.nonce), await used(fresh.authorization.nonce)]).toEqual([false, true]);
  });
});

describe('row 23: a settlement is pending', () => {
  test.each([200, 500])('with status %i, and mined in time: 200', async (status) => {
    const { header } = await signPayment(payer);
    await chain.setAutomine(false);
    facilitator.next('settle', async (exchange) => {
      exchange.answer(status, await exchange.forward());
      await chain.mine({ blocks: 1 });
    });
    const answer = await patientApi.get('q=quartz', header);
    await chain.setAutomine(true);
    expectServed(answer);
    expect(await spent()).toBe(price);
  });

  test('and the chain stops: 503, 503 again without another transaction, 200 after mining', async () => {
    const { header } = await signPayment(payer);
    await chain.setAutomine(false);
    const before = facilitator.asked.settle;
    for (const _try of [1, 2]) expectRetry(await api.get('q=quartz', header), 503, 'settlement_unknown');
    expect(facilitator.asked.settle).toBe(before + 1);
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settling', tx_hash: expect.stringMatching(/^0x/) }]);
    await chain.mine({ blocks: 1 });
    await chain.setAutomine(true);
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
  });
});

test('row 30: a client that disconnects before settlement is not charged', async () => {
  const { header } = await signPayment(payer);
  const settled = facilitator.asked.settle;
  const client = new AbortController();
  facilitator.next('verify', async (exchange) => {
    const answer = await exchange.forward();
    client.abort();
    // The server sees the closed connection before it answers a later request.
    await api.get('q=later');
    exchange.answer(200, answer);
  });
  await expect(api.get('q=quartz', header, { signal: client.signal })).rejects.toThrow();
  expect(await stage.restingRows(payer)).toMatchObject([{ status: 'released', tx_hash: null, lease_until: null }]);
  expect(facilitator.asked.settle).toBe(settled);
  expect(await spent()).toBe(0n);
});

test.each([
  ['the same payment', false, false],
  ['a new one', true, false],
  ['a new one after three minutes, which searches again', true, true],
])('row 31: a client that disconnects during settlement is served its search for %s', async (_, isFresh, isLate) => {
  const first = await signPayment(payer);
  const client = new AbortController();
  facilitator.next('settle', async (exchange) => {
    const answer = await exchange.forward();
    client.abort();
    exchange.answer(200, answer);
  });
  await expect(api.get('q=quartz', first.header, { signal: client.signal })).rejects.toThrow();
  expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled', delivered_at: null }]);
  const searches = api.searches();
  if (isLate) {
    const late = `update x402_payments set settled_at = settled_at - interval '181 s' where payer = $1`;
    await stage.stage.pool.query(late, [payer.address]);
    await stage.elasticsearch.set('refuse');
    const failed = await api.get('q=quartz', (await signPayment(payer)).header);
    await stage.elasticsearch.set('pass');
    expect([failed.status, failed.body.error]).toEqual([500, expect.stringContaining('has arrived and is kept')]);
  }
  expectServed(await api.get('q=quartz', isFresh ? (await signPayment(payer)).header : first.header));
  expect(api.searches() > searches).toBe(isLate);
  expect(await spent()).toBe(price);
  // Anyone can show a payment that is on the chain: it stays the payer's.
  if (isFresh) expect(await stage.settledRows(payer)).toMatchObject([{ delivered_at: expect.any(Date) }]);
  else expect(await stage.restingRows(payer)).toMatchObject([{ delivered_at: null }]);
});
