import type { Choice } from './choices.ts';
import { signatureOf } from './run.ts';
import { costOf, scheduleOf, storyOf, tokenOf, traceOf } from './schedule.ts';
import type { Failure, Finding, Scenario } from './types.ts';

/**
 * Describes the failure at the end of a path. Smaller budgets are explored first, so no schedule of a lower cost leads to
 * it. A failure that does not come again with the same picks is itself the finding.
 */
export async function findingOf(scenario: Scenario, path: readonly Choice[], found: Failure): Promise<Finding> {
  const trace = await traceOf(scenario, path);
  const schedule = scheduleOf(trace);
  const failure = repeated(found, trace.failure);
  return {
    scenario: scenario.name,
    failure,
    schedule,
    cost: costOf(trace),
    steps: trace.steps.length,
    token: tokenOf(scenario.name, schedule, failure),
    story: storyOf(trace, failure),
  };
}

function repeated(failure: Failure, again: Failure | null): Failure {
  if (failure.kind === 'not deterministic') return failure;
  if (again !== null && signatureOf(again) === signatureOf(failure)) return again;
  const end = again === null ? 'without a failure' : `with ${signatureOf(again)}`;
  const message = `the same picks ended once with ${signatureOf(failure)}, and once ${end}`;
  return { kind: 'not deterministic', message };
}
