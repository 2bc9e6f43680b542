import { reindexConfig } from '../../../indexer/config.ts';
import { readConfig } from '../../../src/config/api.ts';
import { databaseConfig, elasticsearchConfig } from '../../../src/config/indexer.ts';
import { type Environment, SettingsError } from '../../../src/config/settings.ts';
import { nodeAddresses } from '../../../src/elasticsearch/nodes.ts';
import type { Check } from '../check.ts';
import { fail, ok, type Verdict, warn } from '../finding.ts';

/** Checks that this process's settings are valid and consistent. */
export function settingsCheck(env: Environment): Check {
  return {
    name: 'settings',
    async run() {
      const problems = problemsOf(env);
      if (problems.length === 0) {
        return [ok('All settings of the API and of the command line are valid.'), ...contradictions(env)];
      }
      return problems.map((problem) => fail(problem, 'Correct it; docs/reference/settings.md has every setting.'));
    },
  };
}

function problemsOf(env: Environment): readonly string[] {
  const problems = new Set<string>();
  for (const read of [readConfig, databaseConfig, elasticsearchConfig, reindexConfig]) {
    try {
      read(env);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      for (const problem of error.problems) problems.add(problem);
    }
  }
  return [...problems];
}

function contradictions(env: Environment): readonly Verdict[] {
  const { elasticsearch } = readConfig(env);
  const nodes = nodeAddresses(elasticsearch.url);
  const isOpen = nodes.some(
    ({ protocol, hostname }) => protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname),
  );
  const hasCredentials = elasticsearch.apiKey !== undefined || nodes.some(({ username }) => username !== '');
  if (!isOpen || !hasCredentials) return [];
  const todo = 'Use https:// in ELASTICSEARCH_URL, with ELASTICSEARCH_CA_FILE.';
  return [warn('The credentials of Elasticsearch cross the network unencrypted.', todo)];
}
