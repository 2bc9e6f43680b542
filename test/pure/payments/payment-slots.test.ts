import type { PurchaseContext, PurchaseDeps, PurchaseRequest } from '../../../src/payments/flow/context.ts';
import { resolveClaim } from '../../../src/payments/flow/existing.ts';
import { createPaymentSlots } from '../../../src/payments/flow/slots.ts';
import type { PaymentRow, PaymentRows } from '../../../src/payments/ports.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';

const wallet = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;

function slots() {
  let ms = 0;
  return {
    ...createPaymentSlots(100, 8, () => ms),
    pass: (by: number) => {
      ms += by;
    },
  };
}

function attempts(count: number, attempt: (n: number) => unknown): number {
  return Array.from({ length: count }, (_, n) => attempt(n)).filter((found) => found !== null).length;
}

test('a wallet may make 60 unanswered attempts a minute, which are restored evenly', () => {
  const { countAttempt, pass } = slots();
  expect(attempts(100, () => countAttempt(wallet(1), 'here'))).toBe(60);
  expect(countAttempt(wallet(2), 'here')).not.toBeNull();
  pass(10_000);
  expect(attempts(100, () => countAttempt(wallet(1), 'there'))).toBe(10);
});

test('an address may make 240 attempts a minute with any number of wallets', () => {
  const { countAttempt } = slots();
  expect(attempts(300, (n) => countAttempt(wallet(n), 'here'))).toBe(240);
  expect(countAttempt(wallet(999), 'there')).not.toBeNull();
});

test('an attempt that ended with an answer is not counted', () => {
  const { countAttempt } = slots();
  expect(attempts(300, () => countAttempt(wallet(1), 'here')?.() !== undefined)).toBe(300);
  expect(countAttempt(wallet(1), 'here')).not.toBeNull();
});

test('payments that anyone could send count only against their address', () => {
  const { countAttempt } = slots();
  expect(attempts(100, () => countAttempt(null, 'here'))).toBe(100);
  expect(attempts(100, () => countAttempt(wallet(1), 'there'))).toBe(60);
});

test('a payer has sixteen slots, new payers share a part of all, and released slots can be used again', () => {
  const { acquirePayment } = slots();
  const acquire = (count: number, payer: (n: number) => Hex, paidBefore: boolean) =>
    Array.from({ length: count }, (_, n) => acquirePayment(payer(n), paidBefore).release).filter((one) => one !== null);
  const own = acquire(20, () => wallet(1), true);
  expect(own).toHaveLength(16);
  expect(acquirePayment(wallet(1), true)).toEqual({ release: null, payerMax: 16 });
  own.pop()?.();
  own.push(...acquire(2, () => wallet(1), true));
  expect(own).toHaveLength(16);
  const ofNew = acquire(100, (n) => wallet(100 + n), false);
  expect(ofNew).toHaveLength(67);
  expect(acquire(20, (n) => wallet(300 + n), true)).toHaveLength(100 - 16 - 67);
  for (const release of [...own, ...ofNew]) release();
  expect(acquire(20, () => wallet(1), true)).toHaveLength(16);
});

test('lookups of new payers take no slot of those with rows, nor the reverse', async () => {
  for (const hasRows of [true, false]) {
    const { acquireLookup } = slots();
    for (let n = 0; n < 25; n += 1) expect(await acquireLookup(hasRows, 'here')).not.toBeNull();
    expect(await acquireLookup(!hasRows, 'here')).not.toBeNull();
  }
});

test('an address may cause 240 node queries a minute for unproven or new payers', async () => {
  const { acquireLookup } = slots();
  let found = 0;
  for (let n = 0; n < 300; n += 1) {
    const release = await acquireLookup(n % 2 === 0, 'here');
    if (release !== null) found += 1;
    release?.();
  }
  expect(found).toBe(240);
  expect(await acquireLookup(false, 'there')).not.toBeNull();
});

test('a request waits while another one prepares the answer of a settled payment', async () => {
  const leased = { status: 'settled', leased: true, body: null, nonce: '0x01' } as Partial<PaymentRow> as PaymentRow;
  const found = [leased, leased, { ...leased, leased: false }];
  const rows: Partial<PaymentRows> = { find: async () => found.shift() ?? null };
  const deps = {
    rows,
    clock: { now: () => 0, elapsed: () => 0 },
    sleep: async () => undefined,
  } as Partial<PurchaseDeps> as PurchaseDeps;
  const never = new AbortController().signal;
  const purchase = { clientSignal: never, shutdownSignal: never } as Partial<PurchaseRequest> as PurchaseRequest;
  const key = { nonce: '0x02' } as Partial<PurchaseContext['key']> as PurchaseContext['key'];
  const context = { key, purchase, deadline: 1, deps } as Partial<PurchaseContext> as PurchaseContext;
  expect(await resolveClaim({ kind: 'earlier', row: leased }, context)).toEqual({ kind: 'again' });
  expect(found).toEqual([]);
});
