import { z } from 'zod';
import { durationMs, type Environment, parseSettings, wholeNumber } from '../../src/config/settings.ts';

const variables = z.object({
  VERIFY_WINDOW_ROWS: wholeNumber({ min: 1, max: 10_000, default: 5_000 }),
  VERIFY_WINDOWS_AT_ONCE: wholeNumber({ min: 1, max: 32, default: 2 }),
  VERIFY_SUSPECTS_AT_MOST: wholeNumber({ min: 1, max: 1_000_000, default: 100_000 }),
  VERIFY_WAIT: durationMs({ min: 0, max: 60 * 60_000, default: 15_000 }),
});

/** The limits of comparing tables with an index. */
export interface VerifyConfig {
  /** Rows compared in one step; with the number of steps at once it bounds memory. */
  readonly windowRows: number;
  /** The same where whole documents are compared. */
  readonly deepWindowRows: number;
  readonly windowsAtOnce: number;
  /** Documents that looked different and are judged together. */
  readonly suspectsAtOnce: number;
  /** Proven differences that are held; with more of them the comparison stops, and says so. */
  readonly differencesAtMost: number;
  /** How long the index's reader of the change log may stand still before it counts as not running. */
  readonly waitMs: number;
  readonly pollMs: number;
  /** How often what still changes is looked at again. */
  readonly roundsAtMost: number;
  /** Entities in one look-up by id. */
  readonly lookRows: number;
}

export function verifyConfig(env: Environment): VerifyConfig {
  const settings = parseSettings(variables, env);
  return {
    windowRows: settings.VERIFY_WINDOW_ROWS,
    deepWindowRows: 250,
    windowsAtOnce: settings.VERIFY_WINDOWS_AT_ONCE,
    suspectsAtOnce: settings.VERIFY_SUSPECTS_AT_MOST,
    differencesAtMost: settings.VERIFY_SUSPECTS_AT_MOST,
    waitMs: settings.VERIFY_WAIT,
    pollMs: 100,
    roundsAtMost: 20,
    lookRows: 250,
  };
}
