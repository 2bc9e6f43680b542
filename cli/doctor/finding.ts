/**
 * - `ok`: as it should be
 * - `warn`: it works, and something ought to be done
 * - `fail`: something does not work, or will not
 * - `skipped`: not checked, and why: switched off, or this role may not see it
 */
export const levels = ['ok', 'warn', 'fail', 'skipped'] as const;
export type Level = (typeof levels)[number];

/** The result of a check. */
export interface Finding {
  /** The subject of the check, such as `postgres version`. */
  readonly check: string;
  readonly level: Level;
  /** In words. */
  readonly found: string;
  /** The next step, or null. If one command fixes it, the sentence ends in `Run: COMMAND`. */
  readonly todo: string | null;
}

/** A finding of the check that is running. */
export type Verdict = Omit<Finding, 'check'>;

export const ok = (found: string): Verdict => ({ level: 'ok', found, todo: null });
export const skipped = (found: string): Verdict => ({ level: 'skipped', found, todo: null });
export const warn = (found: string, todo: string): Verdict => ({ level: 'warn', found, todo });
export const fail = (found: string, todo: string): Verdict => ({ level: 'fail', found, todo });
