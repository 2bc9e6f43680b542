import { Argument, Command } from 'commander';
import { runTests } from '../engines/chosen-tests.ts';
import { elasticsearchVersions } from '../engines/elasticsearch/versions.ts';

/** Tests of whatever talks to Elasticsearch. */
const folders = 'test/services/(change-log|cli|elasticsearch|embeddings|http|reindex|search|sync|verify|write)/';

/** `npm run test:elasticsearch -- 8.19`: the tests of services on one version, with engines of its own. */
const program = new Command('test:elasticsearch')
  .description('Runs the tests that talk to Elasticsearch on one of the supported versions, which is fetched once.')
  .addArgument(new Argument('<version>', 'of Elasticsearch').choices(elasticsearchVersions))
  .argument('[files]', 'a pattern of paths, for fewer tests');

const [version = '', pattern = folders] = program.parse().args;
process.exitCode = await runTests(pattern, {
  address: 'ELASTICSEARCH_URL',
  settings: { ELASTICSEARCH_VERSION: version, TEST_STATE: `.local/test-elasticsearch-${version}` },
});
