import type { PurchaseContext, PurchaseDeps, PurchaseRequest } from '../../../src/payments/flow/context.ts';
import { resolveClaim } from '../../../src/payments/flow/existing.ts';
import type { PaymentRow, PaymentRows } from '../../../src/payments/ports.ts';

test('a request waits as long as another one prepares the answer of a settled payment', async () => {
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
