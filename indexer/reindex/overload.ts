/** What one round of catching up took and applied. */
export interface CatchUpRound {
  readonly ms: number;
  readonly changes: number;
}

/** Writers write faster than an index that is built can follow; it may be resumed when they write less. */
export class OverloadError extends Error {
  constructor(arrivingPerSecond: number, appliedPerSecond: number) {
    super(
      `Writers outrun it: ${arrivingPerSecond} changes arrive in a second and ${appliedPerSecond} are applied. Wait until they write less, or raise REINDEX_REQUESTS.`,
    );
    this.name = 'OverloadError';
  }
}

/** So many rounds, each longer than the one before it and than `steadyMs`, are no accident. */
const roundsAtMost = 4;

/**
 * Why catching up comes to no end: undefined while it may. What a round applies came during the round before it, so
 * rounds that grow are changes that arrive faster than they are applied. Pure.
 */
export function detectOverload(rounds: readonly CatchUpRound[], steadyMs: number): OverloadError | undefined {
  const last = rounds.slice(-roundsAtMost);
  const grows = last.every((round, at) => round.ms >= steadyMs && round.ms >= (last[at - 1]?.ms ?? 0));
  if (last.length < roundsAtMost || !grows) return undefined;
  const changes = last.slice(1).reduce((sum, round) => sum + round.changes, 0);
  const perSecond = (some: readonly CatchUpRound[]): number =>
    Math.round((changes * 1_000) / some.reduce((sum, { ms }) => sum + ms, 0));
  return new OverloadError(perSecond(last.slice(0, -1)), perSecond(last.slice(1)));
}
