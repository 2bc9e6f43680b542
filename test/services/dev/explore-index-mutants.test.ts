import { exploreIndexMutant } from '../../../dev/explore/mutants/index.ts';
import { indexMutants } from '../../../dev/explore/mutants/index-list.ts';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

// The model is effective: it finds every defect that is put back, with the right diagnosis.

const env = { ...process.env, ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL') };
/** Ends an exploration that misses its defect. On an idle machine the slowest takes 15 s. */
const seconds = 150;

/** Each takes fifteen seconds. */
const { tried } = rotated('mutants of the indexer', indexMutants, 24);

test.each(tried.map((mutant) => [mutant.name, mutant] as const))(
  'the explorer finds the mutant: %s',
  async (name, mutant) => {
    if (mutant.needsSnapshots && !(await keepsSnapshots())) {
      process.stderr.write(`Not tried, because this Elasticsearch has no path.repo for snapshots: ${name}.\n`);
      return;
    }
    const { found, log } = await exploreIndexMutant(mutant, seconds, env);
    expect(found[0] ?? `nothing\n${log}`).toMatch(new RegExp(`^${mutant.found} `));
  },
);

/** Returns true if Elasticsearch has a folder for snapshots, as one started by this project has. */
async function keepsSnapshots(): Promise<boolean> {
  const url = `${env.ELASTICSEARCH_URL}/_snapshot/explore-index-mutants`;
  const body = JSON.stringify({ type: 'fs', settings: { location: 'explore-index-mutants' } });
  const answer = await fetch(url, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
  if (answer.ok) await fetch(url, { method: 'DELETE' });
  return answer.ok;
}
