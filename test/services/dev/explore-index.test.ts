import { themes } from '../../../dev/explore/index/schedule/themes.ts';
import { exploreIndex } from '../../../dev/explore/mutants/index.ts';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

// A short form of `npm run explore:index`, which runs for hours: every promise of docs/indexing.md about crashes,
// restores, failovers and manual damage, on real engines.

const env = { ...process.env, ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL') };
const names = Object.keys(themes);
/** Each run of the tests sees a schedule that none has seen before, and each commit another theme. */
const seed = Math.floor(Math.random() * 1_000_000);
const { tried } = rotated('themes of schedules of the indexer', names, names.length);

test.each(tried)(`a schedule of %s keeps every promise (seed ${seed})`, async (theme) => {
  const { stories, found } = await exploreIndex({
    args: ['--seed', `${seed}`, '--runs', '1', '--seconds', '60', '--first', '--theme', theme],
    env,
  });
  expect({ seed, found, stories }).toEqual({ seed, found: [], stories: [] });
});
