import type { Claim, PaymentRow } from '../../../src/payments/ports.ts';
import type { PaymentPayload } from '../../../src/payments/protocol/payload.ts';

/** The columns of a row from its claim on. */
type Fixed = Pick<
  PaymentRow,
  | 'network'
  | 'asset'
  | 'payTo'
  | 'payer'
  | 'nonce'
  | 'amount'
  | 'signatureHash'
  | 'fromBlock'
  | 'validBefore'
  | 'createdAtMs'
>;

/** A row as it is kept: `PaymentRow` without fields that depend on the time. Times in milliseconds since 1970. */
export interface StoredRow {
  readonly id: number;
  readonly base: Fixed;
  status: PaymentRow['status'];
  readonly request: Claim['request'];
  requestHash: string;
  paymentId: string | null;
  payment: PaymentPayload | null;
  body: string | null;
  transaction: PaymentRow['transaction'];
  final: boolean;
  block: number | null;
  updatedAtMs: number;
  settledAtMs: number | null;
  deliveredAtMs: number | null;
  leaseOwner: string | null;
  leaseUntilMs: number | null;
  /** The order in which rows were checked; 0 before. */
  looked: number;
}

export function newRow(id: number, claim: Claim, now: number): StoredRow {
  const { authorization } = claim.payment;
  return {
    id,
    base: {
      network: claim.terms.asset.network,
      asset: lower(claim.terms.asset.address),
      payTo: lower(claim.terms.payTo),
      payer: authorization.from,
      nonce: authorization.nonce,
      amount: authorization.value,
      signatureHash: claim.signatureHash,
      fromBlock: claim.onChain?.fromBlock ?? 0,
      validBefore: authorization.validBefore,
      createdAtMs: now,
    },
    status: claim.onChain?.spent ? 'released' : 'processing',
    request: claim.request,
    requestHash: claim.requestHash,
    paymentId: claim.payment.paymentId,
    payment: claim.payment,
    body: null,
    transaction: null,
    final: false,
    block: null,
    updatedAtMs: now,
    settledAtMs: null,
    deliveredAtMs: null,
    leaseOwner: claim.owner,
    leaseUntilMs: now + claim.leaseMs,
    looked: 0,
  };
}

function lower(address: string): `0x${string}` {
  return `0x${address.slice(2).toLowerCase()}`;
}

export function isOpen({ status }: Pick<StoredRow, 'status'>): boolean {
  return status === 'processing' || status === 'settling';
}

/** The open one first, then what is paid, then what was given up. */
export function rank({ status }: Pick<StoredRow, 'status'>): number {
  switch (status) {
    case 'settled':
      return 1;
    case 'released':
      return 2;
    default:
      return 0;
  }
}

/** A row that the table's checks refuse. */
export class BrokenCheckError extends Error {
  override readonly name = 'BrokenCheckError';
}

/** The table's checks: the constraint that a row breaks, or null. */
export function brokenCheck(row: StoredRow): string | null {
  const { status, transaction, body, payment, final, leaseOwner, leaseUntilMs } = row;
  if ((leaseOwner === null) !== (leaseUntilMs === null)) return 'a lease of nobody';
  if (status === 'settled' && transaction === null) return 'settled without a transaction';
  if (status === 'settling' && body === null) return 'an intent without its answer';
  if (status !== 'settled' && payment === null) return 'not settled, and without its payment';
  return final && status !== 'settled' ? 'final, and not settled' : null;
}

/** Returns everything in the rows that can matter later, with times relative to now. */
export function printRows(rows: readonly StoredRow[], now: number): string {
  const ago = (ms: number | null): string => (ms === null ? '-' : String(ms - now));
  const order = rows.map(({ looked }) => looked).sort((a, b) => a - b);
  const print = (row: StoredRow): string => {
    const { id, base, status, requestHash, paymentId, leaseOwner, leaseUntilMs, body, final, transaction } = row;
    const lease = ago(leaseUntilMs !== null && leaseUntilMs < now ? 0 : leaseUntilMs);
    return [
      `${id}${base.nonce.slice(-4)}${base.payTo.slice(-2)} ${status} ${requestHash.slice(0, 6)} ${paymentId ?? '-'}`,
      `${leaseOwner ?? '-'} ${lease} ${body === null ? 0 : 1}${final ? 1 : 0} ${transaction?.slice(-4) ?? '-'}`,
      `${ago(row.deliveredAtMs)} ${ago(row.settledAtMs)} ${order.indexOf(row.looked)}`,
    ].join(' ');
  };
  return rows.map(print).join('|');
}
