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
