import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/api.ts';
import { problemsOf } from '../../support/settings-read.ts';

const needed = { DATABASE_URL: 'postgres://u@127.0.0.1/d', ELASTICSEARCH_URL: 'http://127.0.0.1:9200' };

const problems = (env: Record<string, string>) => problemsOf(() => readConfig(env));

describe("The API's configuration", () => {
  test('needs only the addresses of the two engines, and listens on loopback', () => {
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

  test('all problems are reported together', () => {
    expect(problems({ PORT: 'many' })).toEqual([
      expect.stringMatching(/^DATABASE_URL: is not set/),
      expect.stringMatching(/^ELASTICSEARCH_URL: is not set/),
      expect.stringMatching(/^PORT: must be a whole number/),
    ]);
  });

  const secret = 'of-a-good-thirty-two-characters!';

  test('in production, cursors need a configured secret, and the error explains how to create one', () => {
    const production = { ...needed, NODE_ENV: 'production' };
    for (const given of [{}, { CURSOR_SECRET: '' }]) {
      expect(problems({ ...production, ...given })).toEqual([
        expect.stringMatching(/^CURSOR_SECRET: is not set; .*openssl rand -hex 32/),
      ]);
    }
    expect(problems({ ...production, CURSOR_SECRET: 'short' })).toEqual([
      expect.stringMatching(/^CURSOR_SECRET: .*16/),
    ]);
    expect(readConfig({ ...production, CURSOR_SECRET: secret }).search).toMatchObject({
      cursorSecret: secret,
      sharedCursors: true,
    });
    // Reported with all other problems, not after them.
    expect(problems({ ...production, PORT: 'many' })).toHaveLength(2);
  });

  test('outside production, the cursor secret is random per process and independent of the settings', () => {
    const { search } = readConfig(needed);
    expect(search).toMatchObject({ cursorSecret: expect.stringMatching(/^[0-9a-f]{64}$/), sharedCursors: false });
    expect(readConfig({ ...needed, DATABASE_URL: 'postgres://other@127.0.0.1/e' }).search).toEqual(search);
    const program = `
      import { readConfig } from './src/config/api.ts';
      process.stdout.write(readConfig(${JSON.stringify(needed)}).search.cursorSecret);`;
    const cwd = join(import.meta.dirname, '..', '..', '..');
    const others = [1, 2].map(() =>
      execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd, encoding: 'utf8' }),
    );
    expect(new Set([...others, search.cursorSecret]).size).toBe(3);
  });

  test.each([
    ['PORT', '65536'],
    ['SEARCH_TIMEOUT', '5001'],
    ['KEY_STALE', '11m'],
    ['X402_KEEP_DAYS', '0'],
    ['CORS_ORIGINS', 'https://a.example/path'],
    ['CORS_ORIGINS', 'a.example'],
    ['LOG_QUERIES', 'yes'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'true'],
    ['ELASTICSEARCH_URL', 'http://127.0.0.1:9200,127.0.0.1:9201'],
  ])('%s=%s is refused, and the variable named', (name, value) => {
    expect(problems({ ...needed, [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name}`))]);
  });
});
