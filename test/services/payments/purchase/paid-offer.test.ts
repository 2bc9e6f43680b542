import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { z } from 'zod';
import { localAsset } from '../../../../dev/chain/network.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { paidItemFields } from '../../../../src/payments/protocol/paid-search.ts';
import { at, misfit } from '../../../support/api/published.ts';
import { expectPaymentRequired, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type PaymentDraft, payingFetch, payTo, signPayment } from '../../../support/payments/payers.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// Rows 1 to 8, 35 and 36 of the behaviours: the offer, refused requests and payments, methods, pages and texts.

const stage = await paidStage();
const api = await stage.startApi();
const payer = await newPayer(stage.chain.chain, 100);

/** Money received, rows, and calls of the facilitator. */
async function situation() {
  const rows = (await stage.rows(payer)).length;
  return { received: await stage.received(), rows, asked: { ...stage.chain.facilitator.asked } };
}

test('row 1: without a payment, the response is the same price in header and body, and nothing else happens', async () => {
  const before = await situation();
  const answer = await api.get('q=quartz');
  expectPaymentRequired(answer, 'payment_required');
  const url = `${api.url}/api/v1/x402/search`;
  expect(answer.body).toMatchObject({
    x402Version: 2,
    error: expect.stringContaining('Payment required'),
    resource: { url, description: expect.any(String), mimeType: 'application/json' },
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
    extensions: { 'payment-identifier': { info: { required: false } } },
  });
  expect(answer.headers.get('PAYMENT-REQUIRED')?.length).toBeLessThan(4_096);
  expect(await situation()).toEqual(before);
});

const unknownFields = [
  ...['logo', 'tagline', 'overview', 'website', 'company_stage', 'funding_stage', 'total_funding_usd'],
  ...['founded_date', 'employee_count', 'is_verified'],
];

test('row 2: the published TypeScript client pays one cent and gets its results', async () => {
  const before = await situation();
  const response = await payingFetch(payer)(`${api.url}/api/v1/x402/search?q=Quartz+Ledger&type=companies`);
  const body = (await response.json()) as { data: { companies: object[] }; meta: { transaction: string } };
  expect(response.status).toBe(200);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  const receipt: unknown = JSON.parse(atob(response.headers.get('PAYMENT-RESPONSE') ?? ''));
  const { transaction } = body.meta;
  expect(receipt).toEqual({ success: true, transaction, network: 'eip155:84532', payer: payer.address });
  const found = { id: 1, name: 'Quartz Ledger', slug: 'quartz-ledger' };
  const unknown = Object.fromEntries(unknownFields.map((field) => [field, null]));
  expect(body).toEqual({
    data: { companies: [{ ...found, ...unknown }], people: [], investors: [] },
    meta: {
      ...{ query: 'Quartz Ledger', type: 'companies', page: 1, limit: 10, total: 1 },
      ...{ payer: payer.address, transaction, network: 'eip155:84532', price_paid: '10000', price_paid_usd: '0.01' },
    },
  });
  expect(await stage.received()).toBe(before.received + price);
  expect(await stage.settledRows(payer)).toMatchObject([
    { status: 'settled', tx_hash: transaction, delivered_at: expect.any(Date), lease_until: null },
  ]);
});

test.each([
  ['limit=51', 'limit'],
  ['limit=0', 'limit'],
  ['type=events', 'type'],
  ['page=0', 'page'],
  ['colour=red', 'colour'],
  ['q=a&q=b', 'q'],
  ['q=a&query=b', 'q'],
  [`q=${'x'.repeat(257)}`, 'q'],
])('row 3: %s is refused before payment, and the payment stays usable', async (query, name) => {
  const before = await situation();
  const { header } = await signPayment(payer);
  for (const sent of [undefined, header]) {
    const answer = await api.get(query, sent);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: 'invalid_parameter' });
    expect(answer.body.error).toContain(`"${name}"`);
  }
  expect(await situation()).toEqual(before);
  expectServed(await api.get(`q=${encodeURIComponent(query.slice(0, 20))}`, header));
});

const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const twoHeaders = [await signPayment(payer), await signPayment(payer)].map(({ header }) => header).join(', ');
const other = '0x00000000000000000000000000000000000000aa';
const inTenMinutes = BigInt(Math.floor(Date.now() / 1000) + 600);
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The same point with the other sign, which tokens refuse. */
function mirrored(signature: string): `0x${string}` {
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  return `0x${signature.slice(2, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`;
}

const payload = 'invalid_payload';
const version = 'invalid_x402_version';
const recipient = 'invalid_exact_evm_payload_recipient_mismatch';
const amount = 'invalid_exact_evm_payload_authorization_value_mismatch';
const validBefore = 'invalid_exact_evm_payload_authorization_valid_before';
const validAfter = 'invalid_exact_evm_payload_authorization_valid_after';
const signed = 'invalid_exact_evm_payload_signature';

test.each<[string, string | PaymentDraft, string]>([
  ['row 4: invalid base64', 'not base64!', payload],
  ['row 4: base64url', Buffer.from('{"a":"???>>>"}').toString('base64url'), payload],
  ['row 4: invalid JSON', Buffer.from('nothing').toString('base64'), payload],
  ['row 4: null', json(null), payload],
  ['row 4: an array', json([]), payload],
  ['row 4: a number', json(7), payload],
  ['row 4: a text', json('x402'), payload],
  ['row 4: over 8 KiB', 'A'.repeat(8_196), payload],
  ['row 4: no authorization', json({ x402Version: 2, accepted: {}, payload: {} }), payload],
  ['row 4: two headers', twoHeaders, payload],
  ['row 5: version 1', { whole: { x402Version: 1 } }, version],
  ['row 5: version 3', { whole: { x402Version: 3 } }, version],
  ['row 5: version "2"', { whole: { x402Version: '2' } }, version],
  ['row 5: no version', { whole: { x402Version: undefined } }, version],
  ['row 6: another network', { accepted: { network: 'eip155:8453' } }, 'invalid_network'],
  ['row 6: another scheme', { accepted: { scheme: 'upto' } }, 'invalid_scheme'],
  ['row 6: another token', { accepted: { asset: other } }, 'invalid_asset'],
  ['row 6: another recipient accepted', { accepted: { payTo: other } }, recipient],
  ['row 6: another recipient signed', { to: other }, recipient],
  ['row 6: another amount accepted', { accepted: { amount: '9999' } }, amount],
  ['row 6: too little signed', { value: 9_999n }, amount],
  ['row 6: too much signed', { value: 20_000n }, amount],
  ['row 7: an expired payment', { validForSeconds: -5 }, validBefore],
  ['row 7: less than 15 s left', { validForSeconds: 10 }, validBefore],
  ['row 7: a payment valid for years', { validForSeconds: 90_000_000 }, validBefore],
  ['row 7: a payment not valid yet', { validAfter: inTenMinutes, validForSeconds: 900 }, validAfter],
  ['row 8: a flipped digit', { tamper: (s) => `0x${s.slice(2, -4)}${s.at(-4) === '0' ? 1 : 0}${s.slice(-3)}` }, signed],
  ['row 8: a short signature', { tamper: () => '0x1234' }, signed],
  ['row 8: an empty signature', { tamper: () => '0x' }, payload],
  ['row 8: a signature over another domain', { domainName: 'USD Coin' }, signed],
  ['row 8: a signature of 65 zeros', { tamper: () => `0x${'00'.repeat(65)}` }, signed],
  ['row 8: a mirrored signature', { tamper: mirrored }, signed],
  ['row 8: a low last byte', { tamper: (s) => `0x${s.slice(2, -2)}${s.endsWith('1b') ? '00' : '01'}` }, signed],
])('%s is refused without side effects', async (_what, sent, code) => {
  const before = await situation();
  const header = typeof sent === 'string' ? sent : (await signPayment(payer, sent)).header;
  expectPaymentRequired(await api.get('q=x', header), code);
  expect(await situation()).toEqual(before);
});

test('Node itself answers a header above 16 KiB', async () => {
  expect((await api.get('q=x', 'A'.repeat(17_000))).status).toBe(431);
});

test('row 6: unknown fields and lower-case addresses are accepted', async () => {
  const lower = { asset: localAsset.address.toLowerCase(), payTo: payTo.toLowerCase() };
  const accepted = { ...lower, maxAmountRequired: '10000', extra: {}, colour: 'red' };
  const { header } = await signPayment(payer, { accepted, from: payer.address });
  expectServed(await api.get('q=lower+case', header));
});

test('row 35: only GET can be paid for', async () => {
  const before = await situation();
  const headers = { 'PAYMENT-SIGNATURE': (await signPayment(payer)).header };
  for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
    const response = await fetch(`${api.url}/api/v1/x402/search?q=x`, { method, headers });
    const allow = response.headers.get('Allow');
    expect({ method, status: response.status, allow }).toEqual({ method, status: 405, allow: 'GET, OPTIONS' });
  }
  expect(await situation()).toEqual(before);
});

test('row 36: a page of any origin may pay and read the payment headers', async () => {
  const url = `${api.url}/api/v1/x402/search?q=browser`;
  const origin = 'https://wallet.example';
  const asked = ['payment-signature', 'access-control-expose-headers'];
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      ...{ Origin: origin, 'Access-Control-Request-Method': 'GET' },
      'Access-Control-Request-Headers': asked.join(),
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
  const allowed = preflight.headers.get('Access-Control-Allow-Headers')?.toLowerCase();
  for (const name of asked) expect(allowed).toContain(name);
  const { header } = await signPayment(payer);
  for (const headers of [{ Origin: origin }, { Origin: origin, 'PAYMENT-SIGNATURE': header }]) {
    const exposed = (await fetch(url, { headers })).headers.get('Access-Control-Expose-Headers');
    for (const name of ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE']) expect(exposed).toContain(name);
  }
});

/** The body of an answer to a request with a `Host` of its own. */
async function askAs(url: string, path: string, host: string): Promise<Record<string, unknown>> {
  const sent = request(`${url}${path}`, { headers: { host }, agent: false }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response ?? []) text += chunk;
  return JSON.parse(text);
}

test('pages of any origin may discover that searches are sold', async () => {
  const { headers } = await fetch(`${api.url}/.well-known/x402`);
  expect(headers.get('access-control-allow-origin')).toBe('*');
});

describe('the address in offers without PUBLIC_URL', () => {
  test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.7:3000', '[::2]'])(
    'is that of the connection, not %s',
    async (host) => {
      const url = `${api.url}/api/v1/x402/search`;
      expect((await askAs(api.url, '/api/v1/x402/search?q=x', host)).resource).toMatchObject({ url });
      expect(await askAs(api.url, '/.well-known/x402', host)).toEqual({ version: 1, resources: [url] });
    },
  );

  test.each(['localhost:8080', 'LOCALHOST', '127.0.0.1', '127.9.9.9:1', '[::1]:3000'])(
    'is %s, which names this machine',
    async (host) => {
      const { resource } = await askAs(api.url, '/api/v1/x402/search?q=x', host);
      expect(resource).toMatchObject({ url: `http://${host}/api/v1/x402/search` });
    },
  );

  test('behind a proxy is not X-Forwarded-Host', async () => {
    await using behind = await stage.startApi({ TRUST_PROXY: '1' });
    const headers = { 'x-forwarded-host': 'evil.example' };
    const response = await fetch(`${behind.url}/api/v1/x402/search`, { headers });
    expect(await response.text()).not.toContain('evil');
  });
});

const noTexts = ['%00', '%01', '%1B', '%7F', '%C2%85', '%EF%BF%BF', '%F0%9F%BF%BE'];

test.each([
  ...noTexts.map((noText) => [`q=quartz${noText}ledger`, 'quartz ledger']),
  ['query=quartz%20ledger', 'quartz ledger'],
  ['q=quartz%09ledger%0A', 'quartz\tledger\n'],
  ...[['q='], ['query='], ['']].map(([query]) => [query, '']),
  ['q=%20', ' '],
  ['q=*', '*'],
  ['query=*', '*'],
])('a search for %j is charged once, and returned as %j', async (query, echoed) => {
  const fresh = await newPayer(stage.chain.chain, 2);
  const { header } = await signPayment(fresh);
  const answer = await api.get(`${query}&type=companies`, header);
  expectServed(answer);
  expect(answer.body.meta?.query).toBe(echoed);
  expect(answer.body.data?.companies).toMatchObject([{ name: 'Quartz Ledger' }]);
  expect(await stage.spent(fresh)).toBe(price);
});

test('a page above 1 costs the same, as announced before and after', async () => {
  const unpaid = await api.get('q=quartz&page=2');
  expect(unpaid.body).toMatchObject({ accepts: [{ description: expect.stringMatching(/page is only echoed/) }] });
  const one = await api.get('q=quartz', (await signPayment(payer)).header);
  const two = await api.get('q=quartz&page=2', (await signPayment(payer)).header);
  for (const answer of [one, two]) expectServed(answer);
  expect(two.body.data).toEqual(one.body.data);
  expect(one.body.meta).not.toHaveProperty('notice');
  expect(two.body.meta).toMatchObject({ page: 2, notice: expect.stringMatching(/same answer as page 1/) });
});

test('a payment with protocol version 1 is refused with the version to use', async () => {
  const headers = { 'X-PAYMENT': 'eyJ4NDAyVmVyc2lvbiI6MX0=' };
  const response = await fetch(`${api.url}/api/v1/x402/search?q=x`, { headers });
  expect(response.status).toBe(402);
  const error = expect.stringContaining('PAYMENT-SIGNATURE');
  expect(await response.json()).toMatchObject({ code: 'x402_v1_not_supported', error });
});

test("the catalogue's example has a company with all sold fields", async () => {
  const { body } = await api.get('q=x');
  const example = at(body, 'extensions', 'bazaar', 'info', 'output', 'example');
  const [company] = z.tuple([z.looseObject({})]).parse(at(example, 'data', 'companies'));
  expect(Object.keys(company)).toEqual(paidItemFields.companies);
  expect(misfit(['components', 'schemas', 'PaidAnswer', 'properties', 'data'], at(example, 'data'))).toBeNull();
});
