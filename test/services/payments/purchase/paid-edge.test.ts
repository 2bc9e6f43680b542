import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { z } from 'zod';
import { price } from '../../../../dev/chain/payment.ts';
import { paidItemFields } from '../../../../src/payments/protocol/paid-search.ts';
import { at, misfit } from '../../../support/api/published.ts';
import { expectPaymentRequired, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, signPayment } from '../../../support/payments/payers.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// Hostile input to the paid route other than its parameters.

const stage = await paidStage();
const api = await stage.startApi();

/** An answer's body, to a request with a `Host` of its own. */
async function askAs(url: string, path: string, host: string): Promise<Record<string, unknown>> {
  const sent = request(`${url}${path}`, { headers: { host }, agent: false }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response ?? []) text += chunk;
  return JSON.parse(text);
}

describe('the address that payers see without PUBLIC_URL', () => {
  test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.7:3000', '[::2]'])(
    '%s is not repeated: it is the address that was connected to',
    async (host) => {
      const { resource } = await askAs(api.url, '/api/v1/x402/search?q=x', host);
      expect(resource).toMatchObject({ url: `${api.url}/api/v1/x402/search` });
      const { resources } = await askAs(api.url, '/.well-known/x402', host);
      expect(resources).toEqual([`${api.url}/api/v1/x402/search`]);
    },
  );

  test.each(['localhost:8080', 'LOCALHOST', '127.0.0.1', '127.9.9.9:1', '[::1]:3000'])(
    '%s names this machine and is repeated',
    async (host) => {
      const { resource } = await askAs(api.url, '/api/v1/x402/search?q=x', host);
      expect(resource).toMatchObject({ url: `http://${host}/api/v1/x402/search` });
    },
  );

  test('behind a proxy, neither is X-Forwarded-Host', async () => {
    await using behind = await stage.startApi({ TRUST_PROXY: '1' });
    const response = await fetch(`${behind.url}/api/v1/x402/search`, {
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    expect(await response.text()).not.toContain('evil');
  });
});

test.each(['%00', '%01', '%1B', '%7F', '%C2%85', '%EF%BF%BF', '%F0%9F%BF%BE'])(
  'q with %s is a search as with a blank, charged once, and echoed so',
  async (noText) => {
    const payer = await newPayer(stage.chain.chain, 2);
    const before = await stage.received();
    const { header } = await signPayment(payer);
    const answer = await api.get(`q=quartz${noText}ledger&type=companies`, header);
    expectServed(answer);
    expect(answer.body.meta?.query).toBe('quartz ledger');
    expect(answer.body.data?.companies).toMatchObject([{ name: 'Quartz Ledger' }]);
    expect(await stage.received()).toBe(before + price);
  },
);

test.each(['q=', 'q=%20', 'q=*', 'query=*', 'query=', ''])('a purchase with %j is one of everything', async (text) => {
  const payer = await newPayer(stage.chain.chain, 2);
  const { header } = await signPayment(payer);
  const answer = await api.get(`${text}&type=companies`, header);
  expectServed(answer);
  expect(answer.body.data?.companies).toMatchObject([{ name: 'Quartz Ledger' }]);
  expect(answer.body.meta?.query).toBe(text.endsWith('*') ? '*' : text.includes('%20') ? ' ' : '');
});

test('q may be called query, and a purchase by either is the same', async () => {
  const payer = await newPayer(stage.chain.chain, 2);
  const before = await stage.received();
  const { header } = await signPayment(payer);
  for (const name of ['query', 'q']) {
    const answer = await api.get(`${name}=quartz%20ledger&type=companies`, header);
    expectServed(answer);
    expect(answer.body.meta?.query).toBe('quartz ledger');
    expect(answer.body.data?.companies).toMatchObject([{ name: 'Quartz Ledger' }]);
  }
  expect(await stage.received()).toBe(before + price);
});

test('q and query that differ are refused before a payment is asked for', async () => {
  const response = await fetch(`${api.url}/api/v1/x402/search?q=a&query=b`);
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(/query.* means the same as .*q/);
});

test('a tab or a line break in q stays as it is', async () => {
  const payer = await newPayer(stage.chain.chain, 2);
  const { header } = await signPayment(payer);
  const answer = await api.get('q=quartz%09ledger%0A&type=companies', header);
  expectServed(answer);
  expect(answer.body.meta?.query).toBe('quartz\tledger\n');
});

test('page above 1 is charged for the same answer, announced before and after', async () => {
  const unpaid = await api.get('q=quartz&page=2');
  expect(unpaid.body).toMatchObject({ accepts: [{ description: expect.stringMatching(/page is only echoed/) }] });
  const payer = await newPayer(stage.chain.chain, 3);
  const [first, second] = [await signPayment(payer), await signPayment(payer)];
  const one = await api.get('q=quartz', first.header);
  const two = await api.get('q=quartz&page=2', second.header);
  expectServed(one);
  expectServed(two);
  expect(two.body.data).toEqual(one.body.data);
  expect(one.body.meta).not.toHaveProperty('notice');
  expect(two.body.meta).toMatchObject({ page: 2, notice: expect.stringMatching(/same answer as page 1/) });
});

test('a payment of protocol version 1 is refused with the version to use', async () => {
  const response = await fetch(`${api.url}/api/v1/x402/search?q=x`, {
    headers: { 'X-PAYMENT': 'eyJ4NDAyVmVyc2lvbiI6MX0=' },
  });
  const body = await response.json();
  expect(response.status).toBe(402);
  expect(body).toMatchObject({ code: 'x402_v1_not_supported', error: expect.stringContaining('PAYMENT-SIGNATURE') });
  const both = await api.get('q=x', 'no payment');
  expectPaymentRequired(both, 'invalid_payload');
});

test("the catalogue's example has a company with all the fields that are sold", async () => {
  const { body } = await api.get('q=x');
  const { extensions } = z.object({ extensions: z.looseObject({ bazaar: z.unknown() }) }).parse(body);
  const example = at(extensions, 'bazaar', 'info', 'output', 'example');
  const [company] = z.tuple([z.looseObject({})]).parse(at(example, 'data', 'companies'));
  expect(Object.keys(company)).toEqual(paidItemFields.companies);
  expect(misfit(['components', 'schemas', 'PaidAnswer', 'properties', 'data'], at(example, 'data'))).toBeNull();
});
