/**
 * - `ok`: no problem
 * - `warn`: works, but needs attention
 * - `fail`: does not work, or soon will not
 * - `skipped`: not checked, with the reason: switched off, or this role lacks the right
 */
export const levels = ['ok', 'warn', 'fail', 'skipped'] as const;
export type Level = (typeof levels)[number];

export interface Finding {
  /** The subject of the check, such as `postgres version`. */
  readonly check: string;
  readonly level: Level;
  readonly found: string;
  /** The next step, or null. If one command fixes it, the sentence ends in `Run: COMMAND`. */
  readonly todo: string | null;
}

export type Verdict = Omit<Finding, 'check'>;

export const ok = (found: string): Verdict => ({ level: 'ok', found, todo: null });
export const skipped = (found: string): Verdict => ({ level: 'skipped', found, todo: null });
export const warn = (found: string, todo: string): Verdict => ({ level: 'warn', found, todo });
export const fail = (found: string, todo: string): Verdict => ({ level: 'fail', found, todo });
