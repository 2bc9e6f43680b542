import { z } from 'zod';
import { durationMs, type Environment, parseSettings, wholeNumber } from '../../src/config/settings.ts';

const hourMs = 3_600_000;

const variables = z.object({
  CHANGE_LOG_MAX_AGE: durationMs({ min: 1_000, max: 30 * 24 * hourMs, default: 72 * hourMs }),
  CHANGE_LOG_MAX_ENTRIES: wholeNumber({ min: 1_000, max: 10_000_000_000, default: 20_000_000 }),
});

/** How long the change log may get before indices that are not followed lose their place in it. */
export interface ChangeLogLimits {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
}

export function changeLogLimits(env: Environment): ChangeLogLimits {
  const settings = parseSettings(variables, env);
  return { maxAgeMs: settings.CHANGE_LOG_MAX_AGE, maxEntries: settings.CHANGE_LOG_MAX_ENTRIES };
}
