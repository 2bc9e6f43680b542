import { localAsset } from '../../../../dev/chain/network.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type PaymentDraft, payingFetch, payTo, signPayment } from '../../../support/payments/payers.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// Rows 1 to 8 of the behaviours: what is offered, and what is refused here already.

const stage = await paidStage();
const api = await stage.startApi();
const payer = await newPayer(stage.chain.chain, 50);

/** Nothing was taken, written, or asked of the facilitator since. */
async function expectUntouched(before: Situation): Promise<void> {
  expect(await situation()).toEqual(before);
}

interface Situation {
  readonly received: bigint;
  readonly rows: number;
  readonly asked: { readonly verify: number; readonly settle: number };
}

async function situation(): Promise<Situation> {
  return {
    received: await stage.received(),
    rows: (await stage.rows(payer)).length,
    asked: { ...stage.chain.facilitator.asked },
  };
}

test('row 1: without a payment the answer is the price, the same in header and body, and nothing is touched', async () => {
  const before = await situation();
  const answer = await api.get('q=quartz');
  expectPaymentRequired(answer, 'payment_required');
  expect(answer.body).toMatchObject({
    x402Version: 2,
    error: expect.stringContaining('Payment required'),
    resource: {
      url: `${api.url}/api/v1/x402/search`,
      description: expect.any(String),
      mimeType: 'application/json',
    },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:84532',
        maxAmountRequired: '10000',
        amount: '10000',
        payTo,
        asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        maxTimeoutSeconds: 300,
        description: expect.stringContaining('USDC'),
        extra: { name: 'USDC', version: '2' },
      },
    ],
  });
  expect(answer.headers.get('PAYMENT-REQUIRED')?.length).toBeLessThan(4_096);
  await expectUntouched(before);
});

test('row 2: the published TypeScript client pays one cent and gets its answer', async () => {
  const before = await situation();
  const response = await payingFetch(payer)(`${api.url}/api/v1/x402/search?q=Quartz+Ledger&type=companies`);
  const body = (await response.json()) as { data: { companies: object[] }; meta: { transaction: string } };
  expect(response.status).toBe(200);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  const receipt: unknown = JSON.parse(atob(response.headers.get('PAYMENT-RESPONSE') ?? ''));
  const { transaction } = body.meta;
  expect(receipt).toEqual({ success: true, transaction, network: 'eip155:84532', payer: payer.address });
  expect(body).toEqual({
    data: {
      companies: [
        {
          id: 1,
          name: 'Quartz Ledger',
          slug: 'quartz-ledger',
          logo: null,
          tagline: null,
          overview: null,
          website: null,
          company_stage: null,
          funding_stage: null,
          total_funding_usd: null,
          founded_date: null,
          employee_count: null,
          is_verified: null,
        },
      ],
      people: [],
      investors: [],
    },
    meta: {
      query: 'Quartz Ledger',
      type: 'companies',
      page: 1,
      limit: 10,
      total: 1,
      payer: payer.address,
      transaction,
      network: 'eip155:84532',
      price_paid: '10000',
      price_paid_usd: '0.01',
    },
  });
  expect(await stage.received()).toBe(before.received + price);
  expect(await stage.settledRows(payer)).toMatchObject([
    { status: 'settled', tx_hash: transaction, delivered_at: expect.any(Date), lease_until: null },
  ]);
});

describe('row 3: wrong parameters are refused before a payment is requested or taken', () => {
  test.each([
    ['limit=51', 'limit'],
    ['limit=0', 'limit'],
    ['type=events', 'type'],
    ['page=0', 'page'],
    ['colour=red', 'colour'],
    ['q=a&q=b', 'q'],
    [`q=${'x'.repeat(257)}`, 'q'],
  ])('%s', async (query, name) => {
    const before = await situation();
    const { header } = await signPayment(payer);
    for (const sent of [undefined, header]) {
      const answer = await api.get(query, sent);
      expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: 'invalid_parameter' });
      expect(answer.body.error).toContain(`"${name}"`);
    }
    await expectUntouched(before);
  });

  test('the authorization can still be used', async () => {
    const { header } = await signPayment(payer);
    expect((await api.get('limit=x', header)).status).toBe(400);
    expectServed(await api.get('q=still+usable', header));
  });
});

describe('row 4: a header that holds no payment', () => {
  const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
  test.each([
    ['no base64', 'not base64!'],
    ['base64url', Buffer.from('{"a":"???>>>"}').toString('base64url')],
    ['no JSON', Buffer.from('nothing').toString('base64')],
    ['null', json(null)],
    ['an array', json([])],
    ['a number', json(7)],
    ['a text', json('x402')],
    ['over 8 KiB', 'A'.repeat(8_196)],
    ['no authorization', json({ x402Version: 2, accepted: {}, payload: {} })],
  ])('%s', async (_what, header) => {
    const before = await situation();
    expectPaymentRequired(await api.get('q=x', header), 'invalid_payload');
    await expectUntouched(before);
  });

  test('two headers', async () => {
    const before = await situation();
    const [one, two] = [await signPayment(payer), await signPayment(payer)];
    expectPaymentRequired(await api.get('q=x', `${one.header}, ${two.header}`), 'invalid_payload');
    await expectUntouched(before);
  });

  test('above 16 KiB Node answers by itself', async () => {
    expect((await api.get('q=x', 'A'.repeat(17_000))).status).toBe(431);
  });
});

describe('row 5: another version of the protocol', () => {
  test.each([[1], [3], ['2'], [undefined]])('%p', async (x402Version) => {
    const before = await situation();
    const { header } = await signPayment(payer, { whole: { x402Version } });
    expectPaymentRequired(await api.get('q=x', header), 'invalid_x402_version');
    await expectUntouched(before);
  });
});

const other = '0x00000000000000000000000000000000000000aa';
const recipient = 'invalid_exact_evm_payload_recipient_mismatch';
const amount = 'invalid_exact_evm_payload_authorization_value_mismatch';
describe('row 6: other terms than those that were asked for', () => {
  test.each<[string, PaymentDraft, string]>([
    ['another network', { accepted: { network: 'eip155:8453' } }, 'invalid_network'],
    ['another scheme', { accepted: { scheme: 'upto' } }, 'invalid_scheme'],
    ['another token', { accepted: { asset: other } }, 'invalid_asset'],
    ['another recipient accepted', { accepted: { payTo: other } }, recipient],
    ['another recipient signed', { to: other }, recipient],
    ['another amount accepted', { accepted: { amount: '9999' } }, amount],
    ['too little signed', { value: 9_999n }, amount],
    ['too much signed', { value: 20_000n }, amount],
  ])('%s', async (_what, draft, code) => {
    const before = await situation();
    expectPaymentRequired(await api.get('q=x', (await signPayment(payer, draft)).header), code);
    await expectUntouched(before);
  });

  test('unknown keys and addresses in lower case are fine', async () => {
    const accepted = {
      asset: localAsset.address.toLowerCase(),
      payTo: payTo.toLowerCase(),
      maxAmountRequired: '10000',
      extra: {},
      colour: 'red',
    };
    const { header } = await signPayment(payer, { accepted, from: payer.address });
    expectServed(await api.get('q=lower+case', header));
  });
});

describe('row 7: outside its time', () => {
  const before = 'invalid_exact_evm_payload_authorization_valid_before';
  test.each<[string, PaymentDraft, string]>([
    ['expired', { validForSeconds: -5 }, before],
    ['less than 15 s left', { validForSeconds: 10 }, before],
    ['valid for years', { validForSeconds: 90_000_000 }, before],
    [
      'not valid yet',
      { validAfter: BigInt(Math.floor(Date.now() / 1000) + 600), validForSeconds: 900 },
      'invalid_exact_evm_payload_authorization_valid_after',
    ],
  ])('%s', async (_what, draft, code) => {
    const situationBefore = await situation();
    expectPaymentRequired(await api.get('q=x', (await signPayment(payer, draft)).header), code);
    await expectUntouched(situationBefore);
  });
});

describe('row 8: a signature that the payer did not give', () => {
  const flipped = (signature: string) =>
    `${signature.slice(0, 20)}${signature[20] === '0' ? '1' : '0'}${signature.slice(21)}` as const;
  test.each<[string, PaymentDraft, string]>([
    ['a flipped digit', { tamper: (s) => flipped(s) as typeof s }, 'invalid_exact_evm_payload_signature'],
    ['too short', { tamper: () => '0x1234' }, 'invalid_exact_evm_payload_signature'],
    ['empty', { tamper: () => '0x' }, 'invalid_payload'],
    ['over another domain', { domainName: 'USD Coin' }, 'invalid_exact_evm_payload_signature'],
    ['of 65 zeros', { tamper: () => `0x${'00'.repeat(65)}` }, 'invalid_exact_evm_payload_signature'],
  ])('%s', async (_what, draft, code) => {
    const before = await situation();
    expectPaymentRequired(await api.get('q=x', (await signPayment(payer, draft)).header), code);
    await expectUntouched(before);
  });
});
