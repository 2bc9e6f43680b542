import type { PaymentRow } from '../ports.ts';
import type { Proven } from './context.ts';

/** What was signed is the same, not only the signature's bytes: they prove nothing beside other words. */
export function isSamePayment(row: PaymentRow, { sent, signatureHash }: Proven): boolean {
  const { to, value, validBefore, validAfter } = sent.authorization;
  return (
    row.signatureHash === signatureHash &&
    row.payTo === to &&
    row.amount === value &&
    row.validBefore === validBefore &&
    (row.payment === null || row.payment.authorization.validAfter === validAfter)
  );
}
