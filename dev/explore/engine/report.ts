import type { ExploreReport, ScenarioReport } from './explore.ts';
import type { Finding } from './types.ts';

/** The result for people: a line or two per scenario, the findings with their stories and tokens, the totals. */
export function reportText(report: ExploreReport): string {
  const { scenarios } = report;
  const findings = scenarios.flatMap((scenario) => scenario.findings);
  const sum = (of: (scenario: ScenarioReport) => number): number => scenarios.reduce((all, one) => all + of(one), 0);
  const states = sum((scenario) => scenario.states);
  const runs = sum((scenario) => scenario.runs);
  return [
    ...scenarios.map(scenarioText),
    ...findings.map(findingText),
    `${number(states)} distinct states, ${number(runs)} runs, ${number(sum(({ steps }) => steps))} steps in ` +
      `${report.seconds.toFixed(1)} s: ${findings.length === 0 ? 'nothing found' : `${findings.length} findings`}.`,
  ].join('\n');
}

function scenarioText(scenario: ScenarioReport): string {
  const { name, schedules, pruned, states, deepest, failures } = scenario;
  const counts =
    `${number(states)} distinct states, ${number(schedules)} schedules to their end, ${number(pruned)} cut in a known ` +
    `state, at most ${deepest} steps${scenario.full ? ', table of states full' : ''}`;
  const failed = failures === 0 ? '' : `\n  ${number(failures)} runs failed`;
  return `${name}: ${coverage(scenario)}\n  ${counts}${failed}`;
}

function coverage({ exhausted, completedBudget }: ScenarioReport): string {
  if (exhausted) return 'every schedule is explored';
  if (completedBudget === null) return 'not even the schedules of cost 0 are all explored';
  return `every schedule of cost <= ${completedBudget} is explored`;
}

function findingText({ scenario, failure, cost, steps, story, token }: Finding): string {
  const head = `FOUND in ${scenario}, ${steps} steps, cost ${cost}: ${failure.kind}`;
  return `\n${head}\n${story}\n  replay: ${token}\n`;
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}
