/** A moment by two clocks: the wall clock can be put back, and the other one stops while the machine is suspended. */
export interface Moment {
  readonly wallMs: number;
  readonly steadyMs: number;
}

export function presentMoment(): Moment {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

/** Returns the time since a moment, by the clock that has advanced further. */
export function elapsedMs({ wallMs, steadyMs }: Moment): number {
  const present = presentMoment();
  return Math.max(present.wallMs - wallMs, present.steadyMs - steadyMs);
}
