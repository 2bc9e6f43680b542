import { expect, test } from '@jest/globals';
import { exploreIndexMutant, type IndexMutant } from '../../../dev/explore/mutants/index.ts';
import { indexMutants } from '../../../dev/explore/mutants/index-list.ts';
import { MisfitMutantError } from '../../../dev/explore/mutants/mutated-copy.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

// The model has teeth: every defect that is put back is found, and as what it is.

const env = { ...process.env, ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL') };
/** For one exploration. On an idle machine the slowest takes 15 s. */
const seconds = 90;

const firstOfTheme = indexMutants.filter(
  ({ scenario }, at) => indexMutants.findIndex((mutant) => mutant.scenario === scenario) === at,
);
/** Each takes twelve seconds, so one of every third theme, unless all are asked for. */
const tried = process.env.MUTANTS === 'all' ? indexMutants : firstOfTheme.filter((_, at) => at % 3 === 0);
if (tried !== indexMutants) {
  const rest = `${indexMutants.length - tried.length} of ${indexMutants.length} mutants of the indexer`;
  process.stderr.write(`SKIPPED: ${rest}. MUTANTS=all npm run jest -- --testPathPatterns index-mutants tries all.\n`);
}

test.each(tried.map((mutant) => [mutant.name, mutant] as const))(
  'found: %s',
  async (name, mutant) => {
    if (mutant.needsSnapshots && !(await keepsSnapshots())) {
      process.stderr.write(`Not tried, because this Elasticsearch has no path.repo for snapshots: ${name}.\n`);
      return;
    }
    const { found, log } = await exploreIndexMutant(mutant, seconds, env);
    expect(found[0] ?? `nothing\n${log}`).toMatch(new RegExp(`^${mutant.found} `));
  },
  180_000,
);

/** Returns true if Elasticsearch has a folder for snapshots, as one started by this project has. */
async function keepsSnapshots(): Promise<boolean> {
  const url = `${env.ELASTICSEARCH_URL}/_snapshot/explore-index-mutants`;
  const body = JSON.stringify({ type: 'fs', settings: { location: 'explore-index-mutants' } });
  const answer = await fetch(url, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
  if (answer.ok) await fetch(url, { method: 'DELETE' });
  return answer.ok;
}

test('a mutant that no longer fits the source is reported', async () => {
  const [first] = indexMutants;
  const edits = [['indexer/verify/verify.ts', 'this stands nowhere', '']] as const;
  await expect(exploreIndexMutant({ ...(first as IndexMutant), edits }, 1, env)).rejects.toThrow(MisfitMutantError);
});
