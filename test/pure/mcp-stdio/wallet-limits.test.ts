import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { usdc as tokens } from '../../../clients/typescript/src/spending.ts';
import { payForCalls } from '../../../packages/entity-search-mcp/src/calls.ts';
import { reserveDaily, stateFolder } from '../../../packages/entity-search-mcp/src/daily-budget.ts';
import { createPayer } from '../../../packages/entity-search-mcp/src/payer.ts';
import type { Service, ServiceResult } from '../../../packages/entity-search-mcp/src/service.ts';
import { ServiceError } from '../../../packages/entity-search-mcp/src/service-error.ts';

// Whatever a service answers, and however calls overlap, the signatures that it holds never exceed the limits.
// The wallet and its calls are the program's own; the service is one that lies, loses answers and falls silent.

const network = 'eip155:84532';
const [otherUsdc, usdc] = tokens;
const stranger = '0x976EA74026E726554dB657fA54763abd0C3a0aa9';

/** The usual value nine times of ten. */
const mostly = <T, U>(usual: T, ...others: readonly U[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));

/** An offer, honest more often than not. */
const offer = fc.record({
  scheme: mostly('exact', 'upto', 'EXACT'),
  network: mostly(network, 'eip155:8453', 'eip155:1', ''),
  asset: mostly(usdc.address, stranger, usdc.address.toUpperCase(), otherUsdc.address),
  payTo: mostly(stranger, `0x${'0'.repeat(40)}`, `0x${'7'.repeat(40)}`, 'me'),
  amount: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('10000', '20000', '49999', '50000') },
    fc.constantFrom('50001', '0', '-10000', '1e4', '010000', '9'.repeat(30)),
    fc.bigInt(1n, 60_000n).map(String),
  ),
  maxTimeoutSeconds: mostly(300, undefined, 0.5, 20, 86_400, -1),
  extra: mostly({ ...usdc.domain }, { name: 'USD Coin', version: '2' }, {}),
});

/** The service's treatment of one request; it sees a payment before it decides, so it holds it in any case. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('offer'), accepts: fc.array(offer, { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('find', 'fail', 'lose', 'hang') }) },
);
type Step = { readonly does: string; readonly accepts?: readonly unknown[] };

const call = fc.record({
  query: fc.constantFrom('a', 'b', 'c'),
  /** Answers to the requests of the call; then it is found. */
  steps: fc.array(step, { maxLength: 5 }),
  /** Milliseconds after the one before; none, so that they overlap, or past the end of a signature. */
  after: fc.constantFrom(0, 0, 1, 1_500, 20_000, 301_000),
  /** Milliseconds until its client gives it up, also between a signature and its answer. */
  gone: fc.constantFrom(undefined, undefined, 1, 7, 900, 5_000),
});

const limits = fc.record({
  perCallUsd: fc.constantFrom('0.01', '0.05'),
  perDayUsd: fc.constantFrom('0.009999', '0.03', '0.07'),
});

const microsOf = (usd: string) => BigInt(Math.round(Number(usd) * 1_000_000));

const authorization = z.object({ value: z.string(), nonce: z.string() });
const carriesPayment = z.object({
  _meta: z.object({ 'x402/payment': z.object({ payload: z.object({ authorization }) }) }),
});

// The limit is a day's, and a run takes about an hour, so each begins at midnight.
const midnight = Date.UTC(2026, 0, 15);
beforeEach(() => void jest.useFakeTimers({ now: midnight, doNotFake: ['nextTick'] }));
afterEach(() => void jest.useRealTimers());

test('the signed amounts never exceed the limits per call and per day', async () => {
  let signedEver = 0;
  let refusedAtLimit = 0;
  await fc.assert(
    fc.asyncProperty(limits, fc.array(call, { minLength: 1, maxLength: 12 }), async (wallet, calls) => {
      jest.setSystemTime(midnight);
      /** Each authorization that the service saw, by its nonce, and how many were new in a call, by the call's number. */
      const held = new Map<string, bigint>();
      const signedBy = new Map<number, number>();
      const log = { info: () => undefined, warn: () => undefined };
      const folder = mkdtempSync(join(tmpdir(), 'wallet-limits-'));
      const process = () => createPayer({ privateKey: `0x${'5d'.repeat(32)}`, network, ...wallet }, folder, log);
      const payers = { one: process(), other: process() };

      const hold = (number: number, params: unknown): void => {
        const carried = carriesPayment.safeParse(params);
        if (!carried.success) return;
        const { nonce, value } = carried.data._meta['x402/payment'].payload.authorization;
        if (!held.has(nonce)) signedBy.set(number, (signedBy.get(number) ?? 0) + 1);
        held.set(nonce, BigInt(value));
      };

      /** One call's requests; what is signed is seen before anything else happens. */
      const serviceOf = (number: number, steps: readonly Step[]): Service => {
        const left = [...steps];
        return {
          close: async () => undefined,
          async request(_method, params, signal): Promise<ServiceResult> {
            hold(number, params);
            const { does, accepts } = left.shift() ?? { does: 'find' };
            await later(5, signal);
            if (does === 'lose') throw new ServiceError('No answer.');
            if (does === 'hang') {
              await later(30_000, signal);
              throw new ServiceError('No answer within 30 seconds.');
            }
            if (does === 'fail') return { isError: true, content: [{ type: 'text', text: 'Try again.' }] };
            if (does === 'find') return { content: [{ type: 'text', text: 'found' }] };
            return { isError: true, structuredContent: { x402Version: 2, error: 'Pay.', accepts } };
          },
        };
      };

      const running = calls.map(async ({ query, steps, gone }, number) => {
        const startsAt = calls.slice(0, number + 1).reduce((sum, { after }) => sum + after, 0);
        await later(startsAt);
        const client = new AbortController();
        if (gone !== undefined) setTimeout(() => client.abort(), gone);
        const pay = payForCalls(serviceOf(number, steps), number % 2 === 0 ? payers.one : payers.other, log, later);
        const params = { name: 'search_entities', arguments: { query } };
        const result = await pay(params, client.signal).catch((error: unknown) => {
          if (!client.signal.aborted) throw error;
          return {};
        });
        if (JSON.stringify(result).includes('bound by signatures')) refusedAtLimit += 1;
      });
      await jest.advanceTimersByTimeAsync(12 * 301_000 + 200_000);
      await Promise.all(running);

      const worth = [...held.values()].reduce((sum, value) => sum + value, 0n);
      expect(worth <= microsOf(wallet.perDayUsd)).toBe(true);
      for (const value of held.values()) expect(value <= microsOf(wallet.perCallUsd)).toBe(true);
      for (const signed of signedBy.values()) expect(signed).toBe(1);
      signedEver += held.size;
      rmSync(folder, { recursive: true, force: true });
    }),
    { numRuns: 300 },
  );
  // The property would hold of a wallet that never signs, or of limits that nothing comes near.
  expect(signedEver).toBeGreaterThan(100);
  expect(refusedAtLimit).toBeGreaterThan(20);
});

/** Waits, on the fake clock; throws what a signal ends with. */
function later(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

test('the limit is renewed at midnight UTC, and a release from the previous day does not raise it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-limits-'));
  const reserve = reserveDaily({ folder, network, wallet: stranger, perDayUsd: '0.02' });
  jest.setSystemTime(Date.UTC(2026, 0, 15, 23, 59, 59));
  reserve(10_000n);
  const release = reserve(10_000n);
  expect(() => reserve(1n)).toThrow('of 0.02, 0.02 are spent');
  jest.setSystemTime(Date.UTC(2026, 0, 16));
  release();
  reserve(20_000n);
  expect(() => reserve(1n)).toThrow('of 0.02, 0.02 are spent');
  rmSync(folder, { recursive: true });
});

test('the state directory is the default of the platform, unless an absolute one is configured', () => {
  const folders = [
    stateFolder({ XDG_STATE_HOME: '/state' }, 'linux', '/home/ann'),
    stateFolder({ XDG_STATE_HOME: 'state' }, 'linux', '/home/ann'),
    stateFolder({}, 'darwin', '/Users/ann'),
    stateFolder({ LOCALAPPDATA: '/Local' }, 'win32', '/Users/ann'),
  ];
  expect(folders).toEqual([
    '/state/entity-search-mcp',
    '/home/ann/.local/state/entity-search-mcp',
    '/Users/ann/Library/Application Support/entity-search-mcp',
    '/Local/entity-search-mcp',
  ]);
});
