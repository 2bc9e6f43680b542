import type { KindName } from '../../kinds/kind.ts';
import type { IndexLag } from '../../ports.ts';

/** Digits behind the point: the lag is looked for every few seconds, so more would say nothing. */
const digits = 1;

/** `X-Index-Lag`: seconds that the indices of the kinds are behind the tables. None where that is not known. */
export function lagHeaders(lag: IndexLag, kinds: readonly KindName[]): Readonly<Record<string, string>> {
  const seconds = lag.seconds(kinds);
  return seconds === null ? {} : { 'X-Index-Lag': seconds.toFixed(digits) };
}
