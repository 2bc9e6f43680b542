import { readConfig } from '../../src/config.ts';
import { SettingsError } from '../../src/settings.ts';

const needed = { DATABASE_URL: 'postgres://u@127.0.0.1/d', ELASTICSEARCH_URL: 'http://127.0.0.1:9200' };

function problems(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe("The API's configuration", () => {
  test('needs the two engines only, and listens on loopback', () => {
    const config = readConfig(needed);
    expect(config.listen).toEqual({ host: '127.0.0.1', port: 3000 });
    expect(config.search.timeoutMs).toBeLessThanOrEqual(5_000);
    expect(config.keys.cacheMs).toBeLessThanOrEqual(5_000);
  });

  test('an empty variable counts as unset', () => {
    expect(readConfig({ ...needed, PORT: '', LOG_LEVEL: '', CORS_ORIGINS: '', LOG_QUERIES: '' })).toEqual(
      readConfig(needed),
    );
  });

  test('all that is wrong is told at once', () => {
    expect(problems({ PORT: 'many' })).toEqual([
      expect.stringMatching(/^PORT: must be a whole number/),
      expect.stringMatching(/^DATABASE_URL: is not set/),
      expect.stringMatching(/^ELASTICSEARCH_URL: is not set/),
    ]);
  });

  test.each([
    ['PORT', '65536'],
    ['SEARCH_TIMEOUT_MS', '5001'],
    ['KEY_CACHE_MS', '6s'],
    ['HEALTH_QUICK_TIMEOUT_MS', '2001'],
    ['CORS_ORIGINS', 'https://a.example/path'],
    ['CORS_ORIGINS', 'a.example'],
    ['LOG_QUERIES', 'yes'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'true'],
    ['ELASTICSEARCH_URL', 'http://127.0.0.1:9200,127.0.0.1:9201'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(problems({ ...needed, [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name}`))]);
  });
});
