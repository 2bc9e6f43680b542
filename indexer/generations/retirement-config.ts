import { z } from 'zod';
import { durationMs, type Environment, parseSettings, wholeNumber } from '../../src/config/settings.ts';

const minuteMs = 60_000;

const variables = z.object({
  GENERATIONS_KEPT: wholeNumber({ min: 0, max: 100, default: 1 }),
  GENERATION_RETIRE_AFTER: durationMs({ min: 0, max: 24 * 60 * minuteMs, default: 15 * minuteMs }),
  GENERATION_ABANDONED_AFTER: durationMs({ min: 1_000, max: 30 * 24 * 60 * minuteMs, default: 24 * 60 * minuteMs }),
});

/** Which generations stay after they were live. */
export interface RetireConfig {
  /** So many, those that were live last. */
  readonly kept: number;
  /** The others are removed so long after: later than the longest cursor that was opened in them. */
  readonly afterMs: number;
  /** One that was being built is given up when nobody has worked on it for so long. */
  readonly abandonedAfterMs: number;
}

export function retireConfig(env: Environment): RetireConfig {
  const settings = parseSettings(variables, env);
  return {
    kept: settings.GENERATIONS_KEPT,
    afterMs: settings.GENERATION_RETIRE_AFTER,
    abandonedAfterMs: settings.GENERATION_ABANDONED_AFTER,
  };
}
