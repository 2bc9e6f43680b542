import fc from 'fast-check';
import { getAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { PurchaseDeps, PurchaseRequest } from '../../../src/payments/flow/context.ts';
import { processPurchase } from '../../../src/payments/flow/purchase.ts';
import { createPaymentSlots } from '../../../src/payments/flow/slots.ts';
import type { PaymentRow, PaymentRows } from '../../../src/payments/ports.ts';
import { type Asset, assets, oneCent, usd } from '../../../src/payments/protocol/assets.ts';
import { checkTerms, checkValidity } from '../../../src/payments/protocol/checks.ts';
import { publicReason } from '../../../src/payments/protocol/facilitator-answer.ts';
import {
  answerText,
  type PaidRequest,
  paidKinds,
  receiptHeader,
  requestHash,
  splitLimit,
  transactionMark,
  withTransaction,
} from '../../../src/payments/protocol/paid-search.ts';
import { decodePayment, encodeHeader, paymentHeaderBytesMax } from '../../../src/payments/protocol/payload.ts';
import { signatureHash, signedByKey, typedAuthorization } from '../../../src/payments/protocol/signature.ts';
import { acceptedOf, paymentRequired, requirementsOf, type Terms } from '../../../src/payments/protocol/terms.ts';

const [asset, otherAsset] = assets as [Asset, Asset];
const { network } = asset;
const payTo = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';
const terms: Terms = { asset, payTo, amount: 10_000n, maxTimeoutSeconds: 300 };
const account = privateKeyToAccount(`0x${'5a'.repeat(32)}`);

async function signed(extensions?: unknown) {
  const authorization = {
    from: account.address,
    to: payTo,
    value: 10_000n,
    validAfter: 0n,
    validBefore: 2_000n,
    nonce: `0x${'0f'.repeat(32)}`,
  } as const;
  const signature = await account.signTypedData(typedAuthorization(authorization, asset));
  const texts = { ...authorization, value: '10000', validAfter: '0', validBefore: '2000' };
  return {
    x402Version: 2,
    accepted: acceptedOf(terms),
    payload: { signature, authorization: texts },
    ...(extensions === undefined ? {} : { extensions }),
  };
}

async function decoded(extensions?: unknown) {
  const result = decodePayment(encodeHeader(await signed(extensions)));
  if (!result.ok) throw new Error(result.message);
  return result.payment;
}

describe('the payment header', () => {
  test('is decoded unchanged, with addresses and nonce in lower case', async () => {
    const payment = await decoded();
    const lowered = { from: account.address.toLowerCase(), to: payTo.toLowerCase(), nonce: `0x${'0f'.repeat(32)}` };
    expect(payment.authorization).toEqual({ ...lowered, value: 10_000n, validAfter: 0n, validBefore: 2_000n });
    expect(payment.paymentId).toBeNull();
    expect(checkTerms(payment, terms)).toBeNull();
    await expect(signedByKey(payment, asset)).resolves.toBe(true);
    await expect(signedByKey(payment, otherAsset)).resolves.toBe(false);
    // No point of the curve has this coordinate.
    const pointless = { ...payment, signature: `0x${'ff'.repeat(32)}${'01'.repeat(32)}1b` } as const;
    await expect(signedByKey(pointless, asset)).resolves.toBe(false);
  });

  test('may be any text: decoding never throws, and accepts only payments', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json().map(encodeHeader), fc.anything()), (any) => {
        const header = typeof any === 'string' ? any : encodeHeader(any ?? null);
        expect(decodePayment(header).ok).toBe(false);
      }),
    );
  });

  test('is a single piece of standard, padded base64', async () => {
    const header = encodeHeader({ ...(await signed()), text: '???>>>' });
    expect(header).toMatch(/[+/]/);
    for (const other of [`${header}A`, header.replaceAll('+', '-').replaceAll('/', '_'), `${header} ${header}`]) {
      expect(decodePayment(other)).toMatchObject({ ok: false, message: expect.stringContaining('standard base64') });
    }
  });

  test('is refused if any field is missing', async () => {
    const whole = await signed();
    for (const path of ['accepted', 'payload']) {
      const result = decodePayment(encodeHeader({ ...whole, [path]: undefined }));
      expect(result).toMatchObject({ ok: false, code: 'invalid_payload' });
    }
    for (const name of Object.keys(whole.payload.authorization)) {
      const authorization = { ...whole.payload.authorization, [name]: undefined };
      const result = decodePayment(encodeHeader({ ...whole, payload: { ...whole.payload, authorization } }));
      expect(result).toMatchObject({ ok: false, code: 'invalid_payload', message: expect.stringContaining(name) });
    }
  });

  test('may be at most 8 KiB long', async () => {
    const fill = (length: number) => decodePayment('A'.repeat(length));
    expect(fill(paymentHeaderBytesMax + 4)).toMatchObject({ message: expect.stringContaining('longer') });
    expect(fill(paymentHeaderBytesMax)).toMatchObject({ message: expect.not.stringContaining('longer') });
  });

  test.each([
    [{ 'payment-identifier': { info: { required: false, id: 'a'.repeat(16) } } }, 'a'.repeat(16)],
    [{ 'payment-identifier': { info: { required: false } } }, null],
    [{ other: 1 }, null],
    [null, null],
  ])('has the identifier in %j', async (extensions, id) => {
    expect((await decoded(extensions)).paymentId).toBe(id);
  });

  test.each(['short', 'a'.repeat(129), 'with space 0123456'])('is refused if its identifier is %s', async (id) => {
    const header = encodeHeader(await signed({ 'payment-identifier': { info: { id } } }));
    expect(decodePayment(header)).toMatchObject({ ok: false, code: 'invalid_payload' });
  });
});

describe('the validity of an authorization', () => {
  const limits = { minLeftSeconds: 15, maxLeftSeconds: 3_600 };
  test.each([
    [1_985, null],
    [1_986, 'invalid_exact_evm_payload_authorization_valid_before'],
    [2_500, 'invalid_exact_evm_payload_authorization_valid_before'],
    [0, null],
  ])('is checked at %i s', async (now, code) => {
    expect(checkValidity((await decoded()).authorization, limits, now)?.code ?? null).toBe(code);
  });
});

describe('a paid request', () => {
  const request: PaidRequest = { q: 'zk', type: 'all', limit: 10, page: 1 };

  test('has another hash if any part of it differs', () => {
    const changes: Partial<PaidRequest>[] = [{}, { q: 'zk ' }, { type: 'people' }, { limit: 11 }, { page: 2 }];
    const hashes = changes.map((change) => requestHash({ ...request, ...change }));
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(requestHash({ page: 1, limit: 10, type: 'all', q: 'zk' })).toBe(hashes[0]);
  });

  test('splits a limit into parts that add up to it and differ by one at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), (limit) => {
        const parts = Object.values(splitLimit({ ...request, limit }));
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(limit);
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
      }),
    );
    expect(splitLimit({ ...request, limit: 11 })).toEqual({ companies: 4, people: 4, investors: 3 });
    for (const type of paidKinds) expect(splitLimit({ ...request, type, limit: 7 })[type]).toBe(7);
  });

  test('that is served does not count as an attempt of its payer', async () => {
    const row = { status: 'settling', body: transactionMark, transaction: '0x01' } as Partial<PaymentRow> as PaymentRow;
    const deps = {
      terms,
      rows: {
        history: async () => ({ row, paid: true, seen: true }),
        claim: async () => ({ kind: 'earlier', row: { ...row, status: 'settled' } }),
      } as Partial<PaymentRows> as PaymentRows,
      limits: { validity: { minLeftSeconds: 15, maxLeftSeconds: 3_600 }, followMs: 1 } as PurchaseDeps['limits'],
      slots: createPaymentSlots(100, 8, () => 0),
      clock: { now: () => 0, elapsed: () => 0 },
      newOwner: () => 'owner',
      signedByKey: async () => true,
    } as Partial<PurchaseDeps> as PurchaseDeps;
    const { signal } = new AbortController();
    const purchase = { caller: 'here', clientSignal: signal, shutdownSignal: signal } as Partial<PurchaseRequest>;
    const sent = { ...purchase, request, header: encodeHeader(await signed()) } as PurchaseRequest;
    for (let n = 0; n < 100; n += 1) expect((await processPurchase(sent, deps)).kind).toBe('served');
  });
});

test('a paid answer contains its transaction, whatever was searched and found', () => {
  const transaction = `0x${'cd'.repeat(32)}` as const;
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constant(transactionMark)), (text) => {
      const data = { companies: [{ name: text }], people: [], investors: [] };
      const request: PaidRequest = { q: text, type: 'all', limit: 10, page: 1 };
      const paid = { network, asset: asset.address, amount: terms.amount, payer: terms.payTo };
      const body: unknown = JSON.parse(withTransaction(answerText(data, request, paid), transaction));
      expect(body).toMatchObject({
        data: { companies: [{ name: text }] },
        meta: { query: text, transaction, total: 1 },
      });
    }),
  );
  const receipt = receiptHeader({ transaction, network, payer: payTo });
  expect(JSON.parse(atob(receipt))).toEqual({ success: true, transaction, network, payer: payTo });
});

test('the requirements have the fields that clients need, and fit into small header buffers', () => {
  const offer = { terms, baseUrl: 'https://api.example.com', entrance: 'http' } as const;
  const required = paymentRequired(offer, 'payment_required', 'Pay.');
  expect(required.accepts[0]).toEqual({
    ...requirementsOf(terms),
    maxAmountRequired: '10000',
    description: expect.stringContaining('0.01 USD'),
  });
  expect(required.extensions).toHaveProperty(['bazaar', 'info', 'input', 'method'], 'GET');
  expect(encodeHeader(required).length).toBeLessThan(4_096);
  expect(required.resource.tags.every((tag) => tag.length <= 32)).toBe(true);
});

test.each([
  [10_000n, 6, '0.01'],
  [1n, 6, '0.000001'],
  [1_000_000n, 6, '1.00'],
  [1_234_500n, 6, '1.2345'],
  [10_000_000_000_000_000n, 18, '0.01'],
  [1n, 2, '0.01'],
])('%s base units of a token with %s decimals are %s USD', (amount, decimals, dollars) => {
  expect(usd(amount, { decimals })).toBe(dollars);
});

test.each(assets)('a search costs one cent of $symbol on $network, listed once with a checksum', (one) => {
  expect(usd(oneCent(one), one)).toBe('0.01');
  expect(one.address).toBe(getAddress(one.address));
  const same = assets.filter(({ network: of, symbol }) => of === one.network && symbol === one.symbol);
  expect(same).toEqual([one]);
});

test("only plain words of a facilitator's reason are passed on", () => {
  expect(publicReason('reverted at http://10.0.0.7/')).toBe('payment_rejected');
  expect(publicReason('some_new_reason')).toBe('some_new_reason');
});

test('signatures are distinguished without being stored', () => {
  expect(signatureHash('0x01')).not.toBe(signatureHash('0x02'));
  expect(signatureHash('0x01')).toMatch(/^[0-9a-f]{64}$/);
});
