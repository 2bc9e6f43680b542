import { type ExploreOptions, explore, type ScenarioReport } from '../../../dev/explore/engine/explore.ts';
import type { Finding, Scenario } from '../../../dev/explore/engine/types.ts';

export const unbounded = Number.POSITIVE_INFINITY;

/** Explores one scenario. */
export async function explored(scenario: Scenario, options: Partial<ExploreOptions> = {}): Promise<ScenarioReport> {
  const standard = { seconds: 30, budget: 4, maxStates: 100_000 };
  const { scenarios: reports } = await explore([scenario], { ...standard, ...options });
  return reports[0] as ScenarioReport;
}

export async function onlyFinding(scenario: Scenario, options: Partial<ExploreOptions> = {}): Promise<Finding> {
  const { findings } = await explored(scenario, options);
  expect(findings).toHaveLength(1);
  return findings[0] as Finding;
}
