import { withApiLimits } from '../../dev/lib/limits.ts';
import { startApiProcess } from '../support/api/process.ts';
import { newPayer, signPayment } from '../support/payments/payers.ts';
import { setPaidStage } from '../support/stages/paid.ts';

const purchases = 12;
/** The answer repeats it, and is then long enough to be packed. */
const longText = encodeURIComponent(`quartz ${'😀'.repeat(240)}`);

test('ordinary paid and keyed load prints no warning: nothing listens once for each that waits', async () => {
  await using stage = await setPaidStage();
  const payer = await newPayer(stage.chain.chain, purchases + 1);
  const key = await stage.stage.createKey();
  // Its end fails the test where Node has warned of anything.
  await using api = startApiProcess(
    withApiLimits(stage.env, { paid: { rows: { openMax: 50 }, limits: { openMax: 50 } } }),
  );
  const url = await api.url;
  const signed = await Promise.all(Array.from({ length: purchases }, () => signPayment(payer)));
  const ask = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const response = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'br', ...headers } });
    await response.arrayBuffer();
    if ('payment-signature' in headers) expect(response.headers.get('content-encoding')).toBe('br');
    return response.status;
  };
  const paid = signed.map(({ header }, at) =>
    ask(`/api/v1/x402/search?q=${longText}${at}`, { 'payment-signature': header }),
  );
  const unpaid = Array.from({ length: purchases }, () => ask('/api/v1/x402/search', {}));
  const keyed = Array.from({ length: purchases }, () =>
    ask('/api/v1/search?type=all', {
      authorization: `Bearer ${key}`,
    }),
  );
  const refused = Array.from({ length: 30 }, () => ask('/api/v1/search?type=all', { authorization: 'Bearer x' }));
  expect(new Set(await Promise.all(paid))).toEqual(new Set([200]));
  expect(new Set(await Promise.all(unpaid))).toEqual(new Set([402]));
  expect(new Set(await Promise.all(keyed))).toEqual(new Set([200]));
  expect(new Set(await Promise.all(refused))).toEqual(new Set([401]));
});
