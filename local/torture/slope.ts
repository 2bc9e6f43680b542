/** What a process held at a moment. */
export interface Sample {
  readonly atMinutes: number;
  readonly heapMb: number;
  readonly descriptors: number;
}

/** Megabytes a minute: the slope of the line with the least squares. NaN for fewer than two samples. */
export function slopeOf(samples: readonly Sample[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const minute = mean(samples.map(({ atMinutes }) => atMinutes));
  const heap = mean(samples.map(({ heapMb }) => heapMb));
  const above = samples.reduce((sum, { atMinutes, heapMb }) => sum + (atMinutes - minute) * (heapMb - heap), 0);
  return above / samples.reduce((sum, { atMinutes }) => sum + (atMinutes - minute) ** 2, 0);
}
