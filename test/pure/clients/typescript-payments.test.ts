import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyTypedData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  EntitySearchError,
  MissingCredentialsError,
  OfferRefusedError,
  SpendingLimitError,
} from '../../../clients/typescript/src/errors.ts';
import type { Account } from '../../../clients/typescript/src/wallet.ts';
import { json, startServer, thrownBy } from '../../support/clients/lying-server.ts';

// A server that requires payments, and the client's payments.

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
  test('signs an offer once, and counts the amount charged', async () => {
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
    ["another token's domain", { extra: { name: 'USD Coin', version: '2' } }, OfferRefusedError],
    ['no recipient', { payTo: `0x${'0'.repeat(40)}` }, OfferRefusedError],
  ])('signs nothing for %s', async (_, changes, type) => {
    await using server = await startServer((_request, response) => askForPayment(response, changes));
    const wallet = newWallet();
    const client = server.client({ wallet });
    expect(await thrownBy(client.paidSearch())).toBeInstanceOf(type);
    expect([wallet.signed, server.requests.length, client.spentUsd]).toEqual([[], 1, '0.00']);
  });

  test('chooses the cheapest acceptable offer, from the header before the body', async () => {
    await using server = await startServer((request, response) => {
      if (request.headers['payment-signature'] !== undefined) return json(response, 200, paidAnswer);
      const accepts = [null, { ...offer, network: 'eip155:1' }, { ...offer, amount: '20000' }, offer];
      const header = Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString('base64');
      json(response, 402, { error: 'Pay', code: 'payment_required' }, { 'payment-required': header });
    });
    const client = server.client({ wallet: newWallet() });
    await client.paidSearch();
    expect(paymentIn(server.requests[1] as IncomingMessage).accepted).toEqual(offer);
  });

  test('ends after a second 402, and counts the signature', async () => {
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

  test('is repeated with the same payment if no answer comes or the server asks for a retry', async () => {
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

  test('respects the limit across concurrent calls', async () => {
    await using server = await startServer((request, response) =>
      request.headers['payment-signature'] === undefined ? askForPayment(response) : json(response, 200, paidAnswer),
    );
    const wallet = newWallet();
    const client = server.client({ wallet, spending: { totalUsd: '0.05' } });
    const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => client.paidSearch({ q: `${at}` })));
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBe(5);
    expect([wallet.signed.length, client.spentUsd]).toEqual([5, '0.05']);
  });

  test('needs a wallet; methods that need a key explain so', async () => {
    await using server = await startServer((_, response) => askForPayment(response));
    expect(await thrownBy(server.client().paidSearch())).toBeInstanceOf(MissingCredentialsError);
    const keyless = server.client({ apiKey: undefined });
    expect(await thrownBy(keyless.search({ type: 'all' }))).toBeInstanceOf(MissingCredentialsError);
  });
});
