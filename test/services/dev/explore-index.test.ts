import { themes } from '../../../dev/explore/index/schedule/themes.ts';
import { exploreIndex } from '../../../dev/explore/mutants/index.ts';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

// A short form of `npm run explore:index`, which runs for hours: every promise of docs/indexing.md about crashes,
// restores, failovers and manual damage, on real engines.

const env = { ...process.env, ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL') };
const names = Object.keys(themes);
/** Each run of the tests sees a few schedules that none has seen before, of other themes each time. */
const unseen = Math.floor(Math.random() * 1_000_000);
const first = unseen % names.length;
const known = rotated('known schedules of the indexer', names, 5).tried;

// Schedules are begun for this long; the last one may take longer.
test.each([
  ['known schedules', 1, 5, known],
  ['unseen schedules', unseen, 5, [...names.slice(first), ...names.slice(0, first)]],
])(
  '%s keep every promise (seed %d)',
  async (_name, seed, seconds, drawn) => {
    const { stories, found } = await exploreIndex({
      args: ['--seed', `${seed}`, '--runs', '1', '--seconds', `${seconds}`, '--first', '--theme', ...drawn],
      env,
    });
    expect({ seed, found, stories }).toEqual({ seed, found: [], stories: [] });
  },
  180_000,
);
