import type { PaidApi, PaidStage } from '../stages/paid.ts';
import { expectServed } from './paid-answer.ts';
import { newPayer, signPayment } from './payers.ts';

/** Sells a search, replays, observes and audits it with one API process, which must log no warnings. */
export async function expectWholeSale(stage: PaidStage, api: PaidApi): Promise<void> {
  const payer = await newPayer(stage.chain.chain, 2);
  const { header } = await signPayment(payer);
  const first = await api.get('q=quartz', header);
  expectServed(first);
  await stage.settledRows({ address: payer.account.address });
  expect((await api.get('q=quartz', header)).text).toBe(first.text);
  await api.paid.observe();
  expect(await api.paid.audit(0)).toMatchObject([{ state: 'done' }]);
  expect(api.log.filter(({ level }) => level !== 'info')).toEqual([]);
}
