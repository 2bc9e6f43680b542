import { Argument, Command } from 'commander';
import { testedServers } from '../../src/schema/server-version.ts';
import { runTests } from '../engines/chosen-tests.ts';

/**
 * Tests of whatever talks to Postgres. Those left out ask only Elasticsearch or our own tools, and answer alike on every
 * version.
 */
const folders =
  'test/services/(access|account|change-log|cli|embeddings|http|import|metrics|payments|postgres|reindex|sync|verify|write)/';

/** `npm run test:postgres -- 15`: the tests of services on one version of Postgres, with engines of its own. */
const program = new Command('test:postgres')
  .description('Runs the tests that talk to Postgres on one of the supported versions, which is fetched once.')
  .addArgument(new Argument('<version>', 'of Postgres').choices(testedServers.map(String)))
  .argument('[files]', 'a pattern of paths, for fewer tests');

const [version = '', pattern = folders] = program.parse().args;
process.exitCode = await runTests(pattern, {
  address: 'DATABASE_URL',
  settings: { POSTGRES_VERSION: version, TEST_STATE: `.local/test-postgres-${version}` },
});
