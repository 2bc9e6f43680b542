import { describe, expect, jest, test } from '@jest/globals';
import { parsePaymentRequired } from '@x402/core/schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { terms as termsFor } from '../../../dev/explore/payments/scenario.ts';
import { ApiError } from '../../../src/http/errors/errors.ts';
import { sellCall } from '../../../src/http/mcp/paid-call.ts';
import type { Outcome } from '../../../src/payments/flow/context.ts';
import { oneCent } from '../../../src/payments/protocol/assets.ts';
import { mcpBazaar } from '../../../src/payments/protocol/mcp-discovery.ts';
import { holdsOffer, paymentOfCall, paymentRequiredResult } from '../../../src/payments/protocol/mcp-transport.ts';
import {
  answerText,
  receiptHeader,
  refusalHeader,
  withTransaction,
} from '../../../src/payments/protocol/paid-search.ts';
import { decodePayment, encodeHeader } from '../../../src/payments/protocol/payload.ts';
import { paymentRequired } from '../../../src/payments/protocol/terms.ts';

// x402 over MCP, in all forms that clients send and read.

const terms = termsFor();
const baseUrl = 'https://api.example.com';
const required = paymentRequired({ terms, baseUrl, entrance: 'mcp' }, 'payment_required', 'Pay.');

const payer = `0x${'aa'.repeat(20)}` as const;
const transaction = `0x${'cd'.repeat(32)}` as const;
const payment = {
  x402Version: 2,
  resource: { ...required.resource },
  accepted: required.accepts[0],
  payload: {
    signature: `0x${'11'.repeat(65)}`,
    authorization: {
      from: payer,
      to: terms.payTo,
      value: '10000',
      validAfter: '0',
      validBefore: '1900000000',
      nonce: `0x${'22'.repeat(32)}`,
    },
  },
};

describe('an offer over MCP', () => {
  const result = paymentRequiredResult(required);

  test('is an error with the offer as structured content and as first text, as the specification requires', () => {
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent);
    expect(result.structuredContent).toMatchObject({ ...required });
    expect([result, { ...result, _meta: {} }, {}].map(holdsOffer)).toEqual([true, false, false]);
  });

  test('is parsed by the published schema', () => {
    const parsed = parsePaymentRequired(result.structuredContent);
    expect(parsed.success).toBe(true);
    expect(parsed.data).toMatchObject({ x402Version: 2, resource: { url: 'https://api.example.com/mcp' } });
  });

  test('is found by clients that expect a wrapped offer, and by those that read _meta', () => {
    const wrapped = result.structuredContent?.['x402/error'];
    expect(wrapped).toMatchObject({ code: 402, message: 'Pay.', data: { x402Version: 2, accepts: required.accepts } });
    expect(result._meta?.['x402/error']).toMatchObject({ x402Version: 2, accepts: required.accepts });
  });

  test('names the server and the tool for catalogues, in a form that matches its own schema', () => {
    const { info, schema } = mcpBazaar;
    expect(required.extensions.bazaar).toBe(mcpBazaar);
    expect(new Ajv2020().validate(schema, info)).toBe(true);
    expect(new Ajv2020().validate(info.input.inputSchema, info.input.example)).toBe(true);
    expect(info.input).toMatchObject({ type: 'mcp', toolName: 'search_entities', transport: 'streamable-http' });
  });

  test('is small enough that a client which echoes all of it stays below the length limit of payments', () => {
    const echoed = encodeHeader({ ...payment, extensions: required.extensions });
    expect(echoed.length).toBeLessThan(6_000);
  });
});

describe('the payment of a call', () => {
  const header = encodeHeader(payment);

  test.each([
    ['an object', payment],
    ['base64', header],
    ['JSON', JSON.stringify(payment)],
    ['JSON surrounded by white space', ` ${JSON.stringify(payment, null, 1)}\n`],
  ])('may be %s', (_form, sent) => {
    const read = decodePayment(paymentOfCall({ 'x402/payment': sent }) ?? '');
    expect(read).toMatchObject({ ok: true, payment: { authorization: { from: payer, value: 10_000n } } });
  });

  test.each([[undefined], [{}], [{ 'x402/payment': null }], [{ 'x402/payment': '' }], [{ other: 1 }]])(
    'is missing in %j',
    (meta) => expect(paymentOfCall(meta)).toBeNull(),
  );

  const none = [1, true, [], [payment], '?', '{', {}, { ...payment, x402Version: 1 }, 'A'.repeat(9_000)];
  test.each([...none, { ...payment, filler: 'x'.repeat(9_000) }].map((sent) => [sent]))(
    'is refused if it is invalid: %#',
    (sent) => {
      expect(decodePayment(paymentOfCall({ 'x402/payment': sent }) ?? '')).toMatchObject({ ok: false });
    },
  );
});

describe('a paid call ends as', () => {
  const request = { q: 'quartz', type: 'all', limit: 3, page: 1 } as const;
  const paid = { network: terms.asset.network, asset: terms.asset.address, amount: oneCent(terms.asset), payer };
  const data = { companies: [{ id: 1, name: 'Quartz Ledger', tagline: null }], people: [], investors: [{ id: 2 }] };
  const body = withTransaction(answerText(data, request, paid), transaction);
  const receipt = receiptHeader({ transaction, network: terms.asset.network, payer });
  const done = jest.fn();

  const end = (outcome: Outcome) =>
    sellCall(
      {
        header: '',
        request,
        caller: '192.0.2.7',
        search: async () => ({ ok: true, data }),
        clientSignal: new AbortController().signal,
      },
      {
        purchase: async () => outcome,
        offer: (code, error) => paymentRequired({ terms, baseUrl, entrance: 'mcp' }, code, error),
      },
    );

  test('served: the results, and the receipt in _meta', async () => {
    const { result, done: told } = await end({ kind: 'served', body, receipt, replayed: false, done });
    const results = [
      { entity_type: 'companies', id: 1, name: 'Quartz Ledger' },
      { entity_type: 'investors', id: 2 },
    ];
    expect(result).toEqual({
      structuredContent: { results },
      content: [{ type: 'text', text: `${JSON.stringify({ results })}\nPaid 0.01 USD (transaction ${transaction}).` }],
      _meta: {
        'x402/payment-response': { success: true, transaction, network: terms.asset.network, payer },
      },
    });
    expect(told).toBe(done);
  });

  test('served again: marked, and distinguished in the message', async () => {
    const { result } = await end({ kind: 'served', body, receipt, replayed: true, done });
    expect(result._meta).toMatchObject({ 'x402/payment-replayed': true });
    expect(result.content[0]?.text).toContain('nothing was charged now');
  });

  test('refused: an offer with the reason, and the receipt of a refused settlement', async () => {
    const refusal = refusalHeader({ reason: 'insufficient_funds', network: terms.asset.network, payer });
    const { result } = await end({
      kind: 'refused',
      code: 'insufficient_funds',
      message: 'too little',
      receipt: refusal,
    });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ code: 'insufficient_funds', x402Version: 2 });
    expect(result.structuredContent?.error).toBe('Payment required: too little. Nothing was charged by this request.');
    expect(result._meta?.['x402/payment-response']).toMatchObject({ success: false, transaction: '' });
  });

  test.each<readonly [string, Outcome]>([
    ['settlement_unknown', { kind: 'unknown' }],
    ['payment_in_progress', { kind: 'in-progress' }],
    ['too_many_payments', { kind: 'capped', openMax: 8 }],
    ['payment_identifier_used', { kind: 'conflict', message: 'Used.' }],
    ['facilitator_unavailable', { kind: 'uncharged', code: 'facilitator_unavailable', message: 'Away.' }],
    ['search_unavailable', { kind: 'search-failed', reason: 'timeout', cause: null, paid: true }],
    ['search_unavailable', { kind: 'search-failed', reason: 'timeout', cause: null, paid: false }],
  ])('a thrown %s that mentions no HTTP header', async (code, outcome) => {
    const thrown = await end(outcome).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ reply: { code } });
    expect(String(thrown)).not.toContain('PAYMENT-SIGNATURE');
    expect(String(thrown)).toMatch(/charged|kept/);
  });
});
