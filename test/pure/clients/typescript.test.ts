import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { verifyTypedData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type ClientOptions, createClient } from '../../../clients/typescript/src/client.ts';
import {
  ApiError,
  ConnectionFailedError,
  EntitySearchError,
  hasCode,
  MissingCredentialsError,
  OfferRefusedError,
  SpendingLimitError,
  UnexpectedAnswerError,
} from '../../../clients/typescript/src/errors.ts';
import type { Account } from '../../../clients/typescript/src/wallet.ts';

// A server that does anything, and what the client makes of it.

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

async function startServer(handler: Handler) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response, requests.length);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    client: (options: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'es_test_key', ...options }),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers });
  response.end(JSON.stringify(body));
}

const page = (results: readonly object[], nextCursor: string | null) => ({
  success: true,
  data: { results, nextCursor },
  message: '',
  meta: { requestId: 'r-1' },
});
const empty = page([], null);

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('A request', () => {
  test('has its parameters, lists as repeated ones with commas escaped, and the key', async () => {
    await using server = await startServer((_, response) => json(response, 200, empty));
    const country = ['Korea, Republic of', 'Chile'];
    await server.client().search({ type: 'companies', query: 'a&b', country, highlight: true, founded_from: 2020 });
    const { url, headers } = server.requests[0] as IncomingMessage;
    const query = new URL(`http://x${url}`).searchParams;
    expect(query.getAll('country')).toEqual(['Korea\\, Republic of', 'Chile']);
    expect([query.get('query'), query.get('highlight'), query.get('founded_from')]).toEqual(['a&b', 'true', '2020']);
    expect(headers.authorization).toBe('Bearer es_test_key');
  });

  test('has the identifier as one step of its path', async () => {
    await using server = await startServer((_, response) => json(response, 200, empty));
    await server.client().getCompany({ identifier: 'a/b?c#ü' });
    expect(server.requests[0]?.url).toBe('/api/v1/companies/a%2Fb%3Fc%23%C3%BC');
    for (const identifier of ['', '.', '..']) {
      await expect(server.client().getCompany({ identifier })).rejects.toThrow(TypeError);
    }
    expect(server.requests.length).toBe(1);
  });

  test.each([
    ['baseUrl', { baseUrl: 'api.example.com' }],
    ['baseUrl', { baseUrl: 'https://name:secret@api.example.com' }],
    ['apiKey', { apiKey: 'es_live_x\n' }],
    ['apiKey', { apiKey: `0x${'1'.repeat(64)}` }],
    ['wallet', { wallet: 'es_live_secret' }],
    ['perCallUsd', { spending: { perCallUsd: '1e3' } }],
  ])('options that can not be right are told, not shown: %s %j', (name, wrong) => {
    const make = (): unknown => createClient({ baseUrl: 'https://api.example.com', ...wrong });
    expect(make).toThrow(new RegExp(`^${name} `));
    expect(make).not.toThrow(/secret|1111/);
  });
});

describe('Retries', () => {
  test('happen where the server asks for them, no sooner than it says, and end', async () => {
    const times: number[] = [];
    await using server = await startServer((_, response, count) => {
      times.push(performance.now());
      if (count === 1) json(response, 429, { error: 'Wait', code: 'rate_limited' }, { 'retry-after': '1' });
      else json(response, 200, empty);
    });
    await server.client().search({ type: 'all' });
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test('are bounded in number', async () => {
    await using server = await startServer((_, response) =>
      json(response, 503, { error: 'Busy', code: 'overloaded' }, { 'retry-after': '0' }),
    );
    const error = await thrownBy(server.client({ limits: { retries: 2 } }).search({ type: 'all' }));
    expect(hasCode(error, 'overloaded')).toBe(true);
    expect(server.requests.length).toBe(3);
  });

  test.each([
    ['a year', 429, { 'retry-after': '31536000' }],
    ['a date in a year', 503, { 'retry-after': new Date(Date.now() + 3e10).toUTCString() }],
    ['no Retry-After', 503, {}],
    ['nonsense', 429, { 'retry-after': '-5' }],
    ['an error that is no request to wait', 500, { 'retry-after': '0' }],
  ])('do not happen after %s', async (_, status, headers) => {
    await using server = await startServer((_request, response) =>
      json(response, status, { error: 'No', code: 'internal_error' }, headers),
    );
    expect(await thrownBy(server.client().search({ type: 'all' }))).toBeInstanceOf(ApiError);
    expect(server.requests.length).toBe(1);
  });
});

describe('An answer that is not of this API', () => {
  test.each<[string, Handler]>([
    ['HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['a redirect', (_, response) => response.writeHead(302, { location: 'https://elsewhere.example' }).end()],
    ['no JSON', (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"succ')],
    ['another form', (_, response) => json(response, 200, { ok: 1 })],
    ['an array', (_, response) => json(response, 200, [])],
    ['an error of a proxy', (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<p>')],
    ['too much', (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(2e6))],
  ])('is told as that: %s', async (_, handler) => {
    await using server = await startServer(handler);
    const error = await thrownBy(server.client({ limits: { answerBytes: 1e6 } }).search({ type: 'all' }));
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(server.requests.length).toBe(1);
  });

  test('a connection that breaks, one that hangs, and one that the caller ends', async () => {
    await using broken = await startServer((request) => request.socket.destroy());
    expect(await thrownBy(broken.client().search({ type: 'all' }))).toBeInstanceOf(ConnectionFailedError);
    await using hung = await startServer((_, response) => void response.writeHead(200).write('{'));
    const limits = { timeoutMs: 100 };
    expect(await thrownBy(hung.client({ limits }).search({ type: 'all' }))).toBeInstanceOf(ConnectionFailedError);
    const controller = new AbortController();
    const ended = hung.client().search({ type: 'all' }, { signal: controller.signal });
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 50);
    expect(await thrownBy(ended)).toBe(reason);
  });

  test('texts of errors are bounded, and steer no terminal', async () => {
    await using server = await startServer((_, response) =>
      json(response, 400, {
        error: `\u001b[2J${'x'.repeat(1e5)}`,
        code: 'invalid_parameter',
        details: [{ path: 'q' }, 7],
      }),
    );
    const error = await thrownBy(server.client().search({ type: 'all' }));
    expect(error).toMatchObject({ code: 'invalid_parameter', status: 400, requestId: 'r-1', details: [] });
    expect(String(error).length).toBeLessThan(2_200);
    expect(String(error)).not.toContain('\u001b');
  });
});

describe('A cursor', () => {
  test('is followed to its end, page by page as they are needed', async () => {
    await using server = await startServer((request, response) => {
      const cursor = new URL(`http://x${request.url}`).searchParams.get('cursor');
      const at = Number(cursor ?? 0);
      json(response, 200, page([{ id: at * 2 }, { id: at * 2 + 1 }], at < 3 ? String(at + 1) : null));
    });
    const client = server.client();
    const ids: number[] = [];
    for await (const { id } of client.searchAll({ type: 'companies', page: 1 })) ids.push(id);
    expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(server.requests.slice(1).every(({ url }) => !url?.includes('page='))).toBe(true);
    for await (const { id } of client.searchAll({ type: 'companies' })) if (id === 1) break;
    expect(server.requests.length).toBe(5);
  });

  test('that leads nowhere, or has expired, ends the walk with an error', async () => {
    await using circle = await startServer((_, response) => json(response, 200, page([{ id: 1 }], 'same')));
    const walk = async (client: ReturnType<typeof circle.client>): Promise<void> => {
      for await (const _ of client.searchAll({ type: 'companies' }));
    };
    expect(await thrownBy(walk(circle.client()))).toBeInstanceOf(UnexpectedAnswerError);
    await using expiring = await startServer((_, response, count) =>
      count === 1
        ? json(response, 200, page([], 'b'))
        : json(response, 400, { error: 'Again', code: 'cursor_expired' }),
    );
    expect(hasCode(await thrownBy(walk(expiring.client())), 'cursor_expired')).toBe(true);
  });
});

const usdc = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const payTo = '0x2222222222222222222222222222222222222222';
const offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '10000',
  asset: usdc,
  payTo,
  maxTimeoutSeconds: 300,
  extra: { name: 'USDC', version: '2' },
};
const paidAnswer = { data: { companies: [], people: [], investors: [] }, meta: { price_paid: '10000' } };

function askForPayment(
  response: ServerResponse,
  changes: object = {},
  accepts: readonly unknown[] = [{ ...offer, ...changes }],
) {
  json(response, 402, { x402Version: 2, error: 'Pay', code: 'payment_required', accepts, resource: { url: 'u' } });
}

const paymentIn = (request: IncomingMessage) =>
  JSON.parse(Buffer.from(String(request.headers['payment-signature']), 'base64').toString());

function newWallet(): Account & { readonly signed: unknown[] } {
  const account = privateKeyToAccount(generatePrivateKey());
  const signed: unknown[] = [];
  return {
    address: account.address,
    signed,
    signTypedData: (data) => {
      signed.push(data);
      return account.signTypedData(data);
    },
  };
}

describe('A paid search', () => {
  test('signs what was offered, once, and counts what was charged', async () => {
    await using server = await startServer((request, response) =>
      request.headers['payment-signature'] === undefined ? askForPayment(response) : json(response, 200, paidAnswer),
    );
    const wallet = newWallet();
    const client = server.client({ wallet });
    expect(await client.paidSearch({ q: 'exchange' })).toEqual(paidAnswer);
    const { accepted, payload } = paymentIn(server.requests[1] as IncomingMessage);
    expect(accepted).toEqual(offer);
    const [data] = wallet.signed as Parameters<Account['signTypedData']>;
    expect(
      await verifyTypedData({ ...data, address: wallet.address as `0x${string}`, signature: payload.signature }),
    ).toBe(true);
    expect(data?.message).toMatchObject({ to: payTo, value: 10_000n });
    expect(payload.authorization).toMatchObject({ from: wallet.address, to: payTo, value: '10000' });
    expect([client.spentUsd, client.unresolvedPayments, wallet.signed.length]).toEqual(['0.01', [], 1]);
    expect(server.requests[1]?.headers.authorization).toBeUndefined();
  });

  test.each<[string, object, typeof EntitySearchError]>([
    ['ten times the price', { amount: '100000' }, SpendingLimitError],
    ['another token', { asset: payTo }, OfferRefusedError],
    ['another network', { network: 'eip155:1' }, OfferRefusedError],
    ['another scheme', { scheme: 'upto' }, OfferRefusedError],
    ['a signature for a year', { maxTimeoutSeconds: 3e7 }, OfferRefusedError],
    ['no amount', { amount: '-1' }, OfferRefusedError],
    ['no token domain', { extra: {} }, OfferRefusedError],
  ])('signs nothing for %s', async (_, changes, type) => {
    await using server = await startServer((_request, response) => askForPayment(response, changes));
    const wallet = newWallet();
    const client = server.client({ wallet });
    expect(await thrownBy(client.paidSearch())).toBeInstanceOf(type);
    expect([wallet.signed, server.requests.length, client.spentUsd]).toEqual([[], 1, '0.00']);
  });

  test('takes the first offer that it may, of a header before the body', async () => {
    await using server = await startServer((request, response) => {
      if (request.headers['payment-signature'] !== undefined) return json(response, 200, paidAnswer);
      const accepts = [null, { ...offer, network: 'eip155:1' }, offer];
      const header = Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString('base64');
      json(response, 402, { error: 'Pay', code: 'payment_required' }, { 'payment-required': header });
    });
    const client = server.client({ wallet: newWallet() });
    await client.paidSearch();
    expect(paymentIn(server.requests[1] as IncomingMessage).accepted.network).toBe('eip155:84532');
  });

  test('ends after a second 402, and the signature counts while it is good', async () => {
    await using server = await startServer((request, response) =>
      request.headers['payment-signature'] === undefined
        ? askForPayment(response)
        : json(response, 402, { error: 'Bad', code: 'invalid_signature', accepts: [offer], x402Version: 2 }),
    );
    const wallet = newWallet();
    const client = server.client({ wallet, spending: { totalUsd: '0.02' } });
    for (let at = 0; at < 4; at += 1) await thrownBy(client.paidSearch());
    expect([wallet.signed.length, client.spentUsd]).toEqual([2, '0.00']);
  });

  test('is repeated with the same payment, where no answer comes or the server asks for it', async () => {
    await using server = await startServer((request, response, count) => {
      if (count === 1) askForPayment(response);
      else if (count === 2) request.socket.destroy();
      else if (count === 3) {
        json(response, 503, { error: 'Unknown', code: 'settlement_unknown' }, { 'retry-after': '0' });
      } else json(response, 200, paidAnswer);
    });
    const wallet = newWallet();
    const client = server.client({ wallet });
    await client.paidSearch({ q: 'a' });
    const sent = server.requests.slice(1).map(({ headers }) => headers['payment-signature']);
    expect([wallet.signed.length, new Set(sent).size, sent.length, client.spentUsd]).toEqual([1, 1, 3, '0.01']);
  });

  test('that was interrupted is resumed with its payment, and counted once', async () => {
    let isBack = false;
    await using server = await startServer((request, response) => {
      if (request.headers['payment-signature'] === undefined) askForPayment(response);
      else if (isBack) json(response, 200, paidAnswer, { 'payment-replayed': 'true' });
      else request.socket.destroy();
    });
    const wallet = newWallet();
    const client = server.client({ wallet, limits: { retries: 0 } });
    const error = await thrownBy(client.paidSearch({ q: 'a' }));
    const [payment] = client.unresolvedPayments;
    expect(error).toBeInstanceOf(EntitySearchError);
    expect((error as EntitySearchError).payment).toBe(payment);
    expect(JSON.stringify(payment)).not.toContain('signature');
    isBack = true;
    expect(await client.resumePaidSearch(payment as NonNullable<typeof payment>)).toEqual(paidAnswer);
    expect([wallet.signed.length, client.spentUsd, client.unresolvedPayments]).toEqual([1, '0.01', []]);
  });

  test('of many at once keeps the limit of all', async () => {
    await using server = await startServer((request, response) =>
      request.headers['payment-signature'] === undefined ? askForPayment(response) : json(response, 200, paidAnswer),
    );
    const wallet = newWallet();
    const client = server.client({ wallet, spending: { totalUsd: '0.05' } });
    const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => client.paidSearch({ q: `${at}` })));
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBe(5);
    expect([wallet.signed.length, client.spentUsd]).toEqual([5, '0.05']);
  });

  test('needs a wallet; what needs a key says so', async () => {
    await using server = await startServer((_, response) => askForPayment(response));
    expect(await thrownBy(server.client().paidSearch())).toBeInstanceOf(MissingCredentialsError);
    const keyless = server.client({ apiKey: undefined });
    expect(await thrownBy(keyless.search({ type: 'all' }))).toBeInstanceOf(MissingCredentialsError);
  });
});
