import { themes } from '../../../dev/explore/index/schedule/themes.ts';
import { exploreIndex } from '../../../dev/explore/mutants/index.ts';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

// A short form of `npm run explore:index`, which runs for hours: every promise of docs/indexing.md about crashes,
// restores, failovers and manual damage, on real engines.

const env = { ...process.env, ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL') };
const names = Object.keys(themes);
/** Each run of the tests sees a schedule that none has seen before, of another theme each time. */
const unseen = Math.floor(Math.random() * 1_000_000);
const known = rotated('known schedules of the indexer', names, names.length).tried;

test.each([
  ['a known schedule', 1, known],
  ['an unseen schedule', unseen, [names[unseen % names.length] ?? '']],
])('%s keeps every promise (seed %d)', async (_name, seed, drawn) => {
  const { stories, found } = await exploreIndex({
    args: ['--seed', `${seed}`, '--runs', '1', '--seconds', '60', '--first', '--theme', ...drawn],
    env,
  });
  expect({ seed, found, stories }).toEqual({ seed, found: [], stories: [] });
});
