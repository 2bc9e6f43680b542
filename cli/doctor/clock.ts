import { ok, type Verdict, warn } from './finding.ts';

/** Times since 1970 in milliseconds: ours around the request, theirs in the answer. */
export interface ClockReading {
  readonly beforeMs: number;
  readonly theirsMs: number;
  readonly afterMs: number;
}

/** From here on logs of two machines can't be read side by side, and expiry is judged differently. */
const skewMaxMs = 1_000;

/** How far another clock is surely ahead (positive) or behind: what the time on the way may explain does not count. */
export function skewMs({ beforeMs, theirsMs, afterMs }: ClockReading): number {
  if (theirsMs < beforeMs) return theirsMs - beforeMs;
  return theirsMs > afterMs ? theirsMs - afterMs : 0;
}

export function judgeClock(whose: string, reading: ClockReading): Verdict {
  const skew = Math.round(skewMs(reading));
  if (Math.abs(skew) <= skewMaxMs) return ok(`The clock of ${whose} agrees with this host's.`);
  const way = skew > 0 ? 'ahead of' : 'behind';
  const found = `The clock of ${whose} is ${Math.abs(skew)} ms ${way} this host's.`;
  return warn(found, 'Let both take the time from NTP (chronyc tracking shows how well they do).');
}
