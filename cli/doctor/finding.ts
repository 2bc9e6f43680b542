import { explainError } from '../../indexer/errors.ts';

/**
 * - `ok`: as it should be
 * - `warn`: it works, and something ought to be done
 * - `fail`: something does not work, or will not
 * - `skipped`: not looked at, and why: switched off, or this role may not see it
 */
export const levels = ['ok', 'warn', 'fail', 'skipped'] as const;
export type Level = (typeof levels)[number];

/** What one look found. */
export interface Finding {
  /** What was looked at, such as `postgres version`. */
  readonly check: string;
  readonly level: Level;
  /** In words. */
  readonly found: string;
  /** What to do about it; null where there is nothing to do. */
  readonly todo: string | null;
}

/** One look: bounded in time by whoever runs it, and heard by nobody once that time is over. */
export interface Check {
  readonly name: string;
  look(signal: AbortSignal): Promise<readonly Finding[]>;
}

export const ok = (check: string, found: string): Finding => ({ check, level: 'ok', found, todo: null });
export const skipped = (check: string, found: string): Finding => ({ check, level: 'skipped', found, todo: null });
export const warn = (check: string, found: string, todo: string): Finding => ({ check, level: 'warn', found, todo });
export const fail = (check: string, found: string, todo: string): Finding => ({ check, level: 'fail', found, todo });

/**
 * Makes all checks at the same time and answers their findings in the order of the checks. A check that throws or
 * takes too long is a finding of its own, and says nothing about the others.
 */
export async function runChecks(
  checks: readonly Check[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const found = await Promise.all(checks.map((check) => runOne(check, timeoutMs, signal)));
  return found.flat();
}

async function runOne({ name, look }: Check, timeoutMs: number, signal: AbortSignal): Promise<readonly Finding[]> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([deadline, signal]);
  const ended = Promise.withResolvers<never>();
  const onAbort = (): void => ended.reject(either.reason);
  either.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([look(either), ended.promise]);
  } catch (error) {
    if (signal.aborted) throw error;
    if (deadline.aborted) {
      return [
        fail(name, `No answer within ${timeoutMs} ms.`, 'Look at the load of what was asked, or raise DOCTOR_TIMEOUT.'),
      ];
    }
    const [text = '', ...next] = explainError(error).text.split('\n');
    return [fail(name, text, next.join(' ') || 'See the message, then run entity-search doctor again.')];
  } finally {
    either.removeEventListener('abort', onAbort);
  }
}
