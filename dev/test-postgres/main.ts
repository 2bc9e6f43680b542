import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Argument, Command } from 'commander';
import { testedServers } from '../../src/schema/server-version.ts';

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
process.exitCode = await run(version, pattern);

async function run(version: string, pattern: string): Promise<number> {
  if (process.env.DATABASE_URL) {
    process.stderr.write('DATABASE_URL is set, so the tests would run on that server: unset it.\n');
    return 64;
  }
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', 'engines', '--testPathPatterns', pattern];
  const env = { ...process.env, POSTGRES_VERSION: version, TEST_STATE: `.local/test-postgres-${version}` };
  const child = spawn(process.execPath, [...flags, ...jest], { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'close');
  return typeof code === 'number' ? code : 1;
}
