import type { KindName } from '../../kinds/kind.ts';
import type { IndexLag } from '../../ports.ts';

/** Decimal places. More would have no meaning, because the lag is measured every few seconds. */
const digits = 1;

/** Returns `X-Index-Lag`, the seconds by which the kinds' indices are behind the tables, if known. */
export function lagHeaders(lag: IndexLag, kinds: readonly KindName[]): Readonly<Record<string, string>> {
  const seconds = lag.seconds(kinds);
  return seconds === null ? {} : { 'X-Index-Lag': seconds.toFixed(digits) };
}
