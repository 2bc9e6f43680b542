import type { PaymentRow } from '../../../src/payments/ports.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import type { Outcome } from '../engine/types.ts';
import type { Exchange } from './scenario.ts';

export type Answered = 'served' | 'refused' | 'again';

export function newExchange(
  given: Pick<Exchange, 'name' | 'process' | 'purchase' | 'landedBefore' | 'claimedBefore'>,
): Exchange {
  const open = { outcome: null, broken: false, unnoticed: false, asked: false, crashed: false, over: false };
  return { ...given, client: new AbortController(), ...open };
}

export function answerOutcomes(
  { broken, outcome }: Exchange,
  faulty: boolean,
  end: (delivered: boolean, got: boolean) => Answered,
): readonly Outcome<Answered>[] {
  if (broken) return [{ label: 'connection broken', cost: 0, apply: () => end(false, false) }];
  if (outcome === null) return [];
  const got = { label: outcome.kind, cost: 0, apply: () => end(true, true) };
  if (!faulty || outcome.kind !== 'served') return [got];
  return [
    got,
    { label: 'lost behind a proxy', cost: 1, apply: () => end(true, false) },
    { label: 'lost on the way', cost: 1, apply: () => end(false, false) },
  ];
}

export function describeRow({ id, nonce, status, payTo, final, deliveredAtMs }: PaymentRow): string {
  const marks = [final ? 'final' : '', deliveredAtMs === null ? '' : 'delivered'];
  return [`row ${id}: nonce ${nonce.slice(-3)}`, status, ...marks, `to ${payTo.slice(0, 4)}`]
    .filter((word) => word !== '')
    .join(' ');
}

/** The parts of an exchange that can still matter, for the state's fingerprint. */
export function printOf(exchange: Exchange): string {
  const { name, broken, crashed, unnoticed, asked, over, outcome, landedBefore, claimedBefore } = exchange;
  if (over && outcome !== null) return '';
  const marks = `${broken ? '!' : ''}${crashed ? 'x' : ''}${unnoticed ? '?' : ''}${asked ? '$' : ''}`;
  const short = (nonces: ReadonlySet<Hex>) => [...nonces].map((nonce) => nonce.slice(-3)).sort();
  return `${name}${marks}${outcome?.kind ?? ''} ${short(landedBefore)} ${short(claimedBefore)}`;
}

export function describeTransfer({ nonce, transaction }: { readonly nonce: Hex; readonly transaction: Hex }): string {
  return `on the chain: ${nonce.slice(-3)} in ${transaction.slice(-3)}`;
}
