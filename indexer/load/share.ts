/** What one worker of a run knows of the others when it takes its share of the run's requests. */
export interface ShareInput {
  /** Requests at the same time that all workers may have together. */
  readonly total: number;
  /** This worker's place among the living, from 0, in the order in which they came. */
  readonly rank: number;
  readonly workers: number;
  /** What the others hold. */
  readonly held: number;
  /** What this worker has under way: after its share became smaller, more than that for a while. */
  readonly inFlight: number;
}

export interface Share {
  /** Requests that this worker may begin to have at the same time. */
  readonly limit: number;
  /** What it holds of the total: never less than what is under way. */
  readonly held: number;
}

/**
 * The share of one worker. Whoever has too much lets go of it as its requests end, and only then others take it: at no
 * moment do all shares together exceed the total. Pure.
 */
export function nextShare({ total, rank, workers, held, inFlight }: ShareInput): Share {
  const fair = Math.floor(total / workers) + (rank < total % workers ? 1 : 0);
  const next = Math.max(0, Math.min(fair, total - held));
  return { limit: next, held: Math.max(next, inFlight) };
}
