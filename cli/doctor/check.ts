import { codeOf, explainError } from '../../indexer/errors.ts';
import { SettingsError } from '../../src/config/settings.ts';
import { type Finding, fail, skipped, type Verdict, warn } from './finding.ts';

/** A check; `runChecks` limits its time. */
export interface Check {
  readonly name: string;
  /** The finding if the Postgres role lacks the rights: the check is then skipped. */
  readonly notAllowed?: string;
  /** True if it only asks whether an engine answers: without an answer in time it fails. Others may be slow under load. */
  readonly isProbe?: boolean;
  run(signal: AbortSignal): Promise<Verdict | readonly Verdict[]>;
}

export class CheckEnded extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(verdict.found);
    this.name = 'CheckEnded';
    this.verdict = verdict;
  }
}

/** Returns settings, or undefined if one is wrong, which the check of the settings reports. */
export function readIfValid<Config>(read: () => Config): Config | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

/**
 * Runs all checks at the same time and returns their findings in the order of the checks. A check that throws or takes
 * too long becomes a finding of its own and does not affect the others.
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

const insufficientPrivilege = '42501';
/** Undefined table, column, function: the check of the tables reports it. */
const isOlderTable = (code: string | undefined): boolean => code === '42P01' || code === '42703' || code === '42883';

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
      return check.isProbe === true
        ? fail(`No answer within ${timeoutMs} ms.`, 'Check that the server is up, reachable and not overloaded.')
        : warn(`Not checked: it takes longer than ${timeoutMs} ms.`, 'Try again when there is less load.');
    }
    if (error instanceof CheckEnded) return error.verdict;
    if (check.notAllowed !== undefined && codeOf(error) === insufficientPrivilege) return skipped(check.notAllowed);
    if (isOlderTable(codeOf(error))) return skipped(`${explainError(error).split('\n')[0]}: see postgres tables.`);
    const [text = '', ...next] = explainError(error).split('\n');
    return fail(text, next.join(' ') || 'See the message, then run entity-search doctor again.');
  } finally {
    either.removeEventListener('abort', onAbort);
  }
}
