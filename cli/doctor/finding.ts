import { codeOf, explainError } from '../../indexer/errors.ts';
import { SettingsError } from '../../src/config/settings.ts';

/**
 * - `ok`: as it should be
 * - `warn`: it works, and something ought to be done
 * - `fail`: something does not work, or will not
 * - `skipped`: not checked, and why: switched off, or this role may not see it
 */
export const levels = ['ok', 'warn', 'fail', 'skipped'] as const;
export type Level = (typeof levels)[number];

/** What a check found. */
export interface Finding {
  /** What was checked, such as `postgres version`. */
  readonly check: string;
  readonly level: Level;
  /** In words. */
  readonly found: string;
  /** What to do; null where nothing is. Where one command mends it, the sentence ends in `Run: COMMAND`. */
  readonly todo: string | null;
}

/** A finding of the check that is running. */
export type Verdict = Omit<Finding, 'check'>;

/** One check: bounded in time by whoever runs it, and of no effect once that time is over. */
export interface Check {
  readonly name: string;
  /** What to say where Postgres does not let this role see what is to be checked, which is then skipped. */
  readonly notAllowed?: string;
  run(signal: AbortSignal): Promise<Verdict | readonly Verdict[]>;
}

export const ok = (found: string): Verdict => ({ level: 'ok', found, todo: null });
export const skipped = (found: string): Verdict => ({ level: 'skipped', found, todo: null });
export const warn = (found: string, todo: string): Verdict => ({ level: 'warn', found, todo });
export const fail = (found: string, todo: string): Verdict => ({ level: 'fail', found, todo });

/** Ends a check with a verdict, from however deep inside. */
export class CheckEnded extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(verdict.found);
    this.name = 'CheckEnded';
    this.verdict = verdict;
  }
}

/** Settings, or undefined where one is wrong: the check of the settings reports that. */
export function readIfValid<Config>(read: () => Config): Config | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

/**
 * Runs all checks at the same time and answers their findings in the order of the checks. A check that throws or
 * takes too long is a finding of its own, and says nothing about the others.
 */
export async function runChecks(
  checks: readonly Check[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const runs = checks.map(async (check) => {
    const verdicts = [await runOne(check, timeoutMs, signal)].flat();
    return verdicts.map((verdict) => ({ check: check.name, ...verdict }));
  });
  return (await Promise.all(runs)).flat();
}

/** Insufficient privilege, of Postgres. */
const insufficientPrivilege = '42501';

async function runOne(check: Check, timeoutMs: number, signal: AbortSignal): Promise<Verdict | readonly Verdict[]> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([deadline, signal]);
  const ended = Promise.withResolvers<never>();
  const onAbort = (): void => ended.reject(either.reason);
  either.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([check.run(either), ended.promise]);
  } catch (error) {
    if (signal.aborted) throw error;
    if (deadline.aborted) {
      return fail(`No answer within ${timeoutMs} ms.`, 'Look at the load of what was asked.');
    }
    if (error instanceof CheckEnded) return error.verdict;
    if (check.notAllowed !== undefined && codeOf(error) === insufficientPrivilege) return skipped(check.notAllowed);
    const [text = '', ...next] = explainError(error).split('\n');
    return fail(text, next.join(' ') || 'See the message, then run entity-search doctor again.');
  } finally {
    either.removeEventListener('abort', onAbort);
  }
}
