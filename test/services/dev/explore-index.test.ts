import { expect, test } from '@jest/globals';
import { exploreIndex } from '../../../dev/explore/mutants/index.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

// A bounded look at what `npm run explore:index` looks at for hours: every promise of docs/indexing.md about crashes,
// restores, failovers and hands that spoil things, on real engines.

const env = { ...process.env, ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL') };
/** One server of Elasticsearch is shared by all tests: a second database of the same prefix is a matter of its own. */
const themes = [
  'writes',
  'verify',
  'poison',
  'positions',
  'whole-index',
  'alias',
  'reindex',
  'failover',
  'storage',
  'index-restored',
  'unflushed',
  'prepared',
];
/** So long schedules are begun; the last one may take a while longer. */
const seconds = 45;

test.each([
  ['known schedules', 1],
  ['schedules that nobody has seen', Math.floor(Math.random() * 1_000_000)],
])(
  '%s keep every promise (seed %d)',
  async (_name, seed) => {
    const { stories, found } = await exploreIndex({
      args: ['--seed', `${seed}`, '--runs', '1', '--seconds', `${seconds}`, '--first', '--theme', ...themes],
      env,
    });
    expect({ seed, found, stories }).toEqual({ seed, found: [], stories: [] });
  },
  180_000,
);
