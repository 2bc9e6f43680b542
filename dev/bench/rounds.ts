import type { Usage } from './programs.ts';

export interface Run {
  readonly value: number;
  readonly usage?: Usage | undefined;
}

interface Side {
  readonly values: readonly number[];
  readonly rssMaxMb: number | null;
  readonly cpuSeconds: number | null;
}

interface Sides<Value> {
  readonly subject: Value;
  readonly floor: Value;
}

/** Runs both sides in turns. The later turn of a round finds warmer engines, so the order alternates. */
export async function inTurn(
  rounds: number,
  turns: Sides<() => Promise<Run>>,
  signal: AbortSignal,
): Promise<Sides<Side>> {
  const runs = { subject: [] as Run[], floor: [] as Run[] };
  for (let round = 1; round <= rounds; round += 1) {
    const sides = ['subject', 'floor'] as const;
    for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
      signal.throwIfAborted();
      runs[side].push(await turns[side]());
    }
  }
  return { subject: sideOf(runs.subject), floor: sideOf(runs.floor) };
}

function sideOf(runs: readonly Run[]): Side {
  const usages = runs.flatMap(({ usage }) => usage ?? []);
  return {
    values: runs.map(({ value }) => value),
    rssMaxMb: usages.length === 0 ? null : Math.max(...usages.map(({ rssMaxMb }) => rssMaxMb)),
    cpuSeconds: usages.length === 0 ? null : usages.reduce((sum, usage) => sum + usage.cpuSeconds, 0) / usages.length,
  };
}

/** Returns the parts of a figure that its rounds determine. */
export function measuredIn({ subject, floor }: Sides<Side>) {
  const { rssMaxMb, cpuSeconds } = subject;
  return { subject: subject.values, floor: floor.values, rssMaxMb, cpuSeconds };
}
