/** The resources of a process at a moment. */
export interface Sample {
  readonly atMinutes: number;
  readonly heapMb: number;
  readonly descriptors: number;
}

/** Returns the growth per minute: the slope of the least-squares line. NaN for fewer than two samples. */
export function slopeOf(samples: readonly Sample[], measure: 'heapMb' | 'descriptors'): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const minute = mean(samples.map(({ atMinutes }) => atMinutes));
  const held = mean(samples.map((sample) => sample[measure]));
  const above = samples.reduce((sum, sample) => sum + (sample.atMinutes - minute) * (sample[measure] - held), 0);
  return above / samples.reduce((sum, { atMinutes }) => sum + (atMinutes - minute) ** 2, 0);
}
