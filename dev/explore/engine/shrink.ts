import type { Choice } from './choices.ts';
import { signatureOf } from './run.ts';
import { costOf, follow, scheduleOf, storyOf, type Trace, tokenOf, traceOf } from './schedule.ts';
import type { Failure, Finding, Scenario, Schedule } from './types.ts';

const RUNS_MAX = 2_000;

/**
 * The failure at the end of this path, with the smallest schedule that still leads to it: by cost, then by number of
 * deviations, then by steps. Greedy, at most 2,000 runs.
 */
export async function shrink(scenario: Scenario, path: readonly Choice[], failure: Failure): Promise<Finding> {
  const found = await traceOf(scenario, path);
  const wanted = signatureOf(failure);
  if (found.failure === null || signatureOf(found.failure) !== wanted) return unshrunk(scenario, found, failure);
  let best = found;
  let runs = 0;
  for (let improved = true; improved && runs < RUNS_MAX; ) {
    improved = false;
    for (const candidate of smaller(scheduleOf(best))) {
      if (++runs > RUNS_MAX) break;
      const trace = await follow(scenario, candidate, 'lenient');
      if (trace.failure === null || signatureOf(trace.failure) !== wanted || !isSmaller(trace, best)) continue;
      best = trace;
      improved = true;
      break;
    }
  }
  return finding(scenario, best, best.failure ?? failure);
}

/**
 * Schedules that may do: chunks of deviations left out (all, halves, quarters … single ones), with the next one as many
 * defaults later as before, at the same step of the run, or at once; or one deviation sooner, or a little later, where
 * it may be cheaper.
 */
function* smaller(schedule: Schedule): Generator<Schedule> {
  for (let size = schedule.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < schedule.length; at += size) {
      const head = schedule.slice(0, at);
      const [next, ...rest] = schedule.slice(at + size);
      if (!next) yield head;
      const gap = schedule.slice(at, at + size).reduce((sum, [defaults]) => sum + defaults + 1, 0);
      if (next)
        for (const defaults of new Set([next[0], next[0] + gap, 0])) yield [...head, [defaults, next[1]], ...rest];
    }
  }
  for (const [at, [defaults, label]] of schedule.entries()) {
    for (const other of new Set([0, Math.floor(defaults / 2), defaults - 1, ...LATER.map((by) => defaults + by)])) {
      if (other >= 0 && other !== defaults) yield schedule.with(at, [other, label]);
    }
  }
}

const LATER = [1, 2, 3, 5, 8];

function isSmaller(a: Trace, b: Trace): boolean {
  const difference =
    costOf(a) - costOf(b) || scheduleOf(a).length - scheduleOf(b).length || a.steps.length - b.steps.length;
  return difference < 0;
}

/** The failure does not come again with the same picks: that itself is the finding. */
function unshrunk(scenario: Scenario, trace: Trace, failure: Failure): Finding {
  if (failure.kind === 'not deterministic') return finding(scenario, trace, failure);
  const again = trace.failure === null ? 'without a failure' : `with ${signatureOf(trace.failure)}`;
  const message = `the same picks ended once with ${signatureOf(failure)}, and once ${again}`;
  return finding(scenario, trace, { kind: 'not deterministic', message });
}

function finding(scenario: Scenario, trace: Trace, failure: Failure): Finding {
  const schedule = scheduleOf(trace);
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
