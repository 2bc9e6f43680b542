import { entitySearch } from '../../../dev/lib/command-line.ts';
import { readEnvironment, type secretVariables } from '../../../src/config/secrets.ts';
import { SettingsError } from '../../../src/config/settings.ts';
import { configText } from '../../../src/config/shown.ts';

const files: Readonly<Record<string, string>> = {
  '/run/db': 'postgres://a:b@c/d\n',
  '/run/key': 'k3y\r\n',
  '/run/raw': ' x ',
};
function read(path: string): string {
  const text = files[path];
  if (text === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' });
  return text;
}

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

test('a secret may come from a file: its last line break does not count, everything else does', () => {
  const env = readEnvironment(
    { DATABASE_URL_FILE: '/run/db', ELASTICSEARCH_API_KEY_FILE: '/run/key', CURSOR_SECRET_FILE: '/run/raw', PORT: '1' },
    read,
  );
  expect(env).toMatchObject({
    DATABASE_URL: 'postgres://a:b@c/d',
    ELASTICSEARCH_API_KEY: 'k3y',
    CURSOR_SECRET: ' x ',
    PORT: '1',
  });
});

test('both ways at once, and missing files, are reported by name', () => {
  const env = {
    DATABASE_URL: 'postgres://a@b/c',
    DATABASE_URL_FILE: '/run/db',
    CURSOR_SECRET_FILE: '/none',
    X402_RPC_URL_FILE: '',
  };
  expect(problemsOf(() => readEnvironment(env, read))).toEqual([
    'DATABASE_URL_FILE: give either this or DATABASE_URL, not both',
    'CURSOR_SECRET_FILE: the file /none can not be read (ENOENT); correct the path or its permissions',
  ]);
});

test('without files the environment is the one that was given', () => {
  const env = { PORT: '1' };
  expect(readEnvironment(env, read)).toBe(env);
});

const secrets = {
  DATABASE_URL: 'postgres://role:canary-db%2F1@db.example:5432/entities?password=canary-db2&sslmode=require',
  ELASTICSEARCH_URL: 'https://reader:canary-es@es.example:9200',
  ELASTICSEARCH_API_KEY: 'canary-api-key',
  CURSOR_SECRET: 'canary-cursor-secret',
  EMBEDDINGS_API_KEY: 'canary-embeddings-key',
  X402_RPC_URL: 'https://rpc.example/v2/canary-rpc-key?also=canary-rpc2',
  X402_FACILITATOR_URL: 'https://user:canary-fac@facilitator.example/canary-path',
  X402_FACILITATOR_HEADERS: '{"Authorization":"Bearer canary-bearer","X-Key":"canary-header"}',
} as const satisfies Record<(typeof secretVariables)[number], string>;
const env = {
  ...secrets,
  X402_PAY_TO: '0x1111111111111111111111111111111111111111',
  EMBEDDINGS: 'https://embeddings.example',
  EMBEDDINGS_MODEL: 'some-model',
  EMBEDDINGS_DIMENSION: '384',
  UNRELATED_TOKEN: 'canary-unrelated',
  PORT: '3001',
  REINDEX_REQUESTS: '7',
};

test("the API's settings are shown with what they became, and without a single secret", () => {
  const text = configText(env);
  expect(text).not.toMatch(/canary/i);
  const { given, effective } = JSON.parse(text);
  expect(given).toMatchObject({
    PORT: '3001',
    DATABASE_URL: 'postgres://role:[redacted]@db.example:5432/entities?[redacted]',
    ELASTICSEARCH_URL: 'https://reader:[redacted]@es.example:9200/',
    ELASTICSEARCH_API_KEY: '[redacted]',
    X402_RPC_URL: 'https://rpc.example/[redacted]?[redacted]',
    X402_FACILITATOR_HEADERS: '[redacted]',
    X402_PAY_TO: env.X402_PAY_TO,
  });
  expect(given).not.toHaveProperty('UNRELATED_TOKEN');
  expect(effective).toMatchObject({ listen: { port: 3001 }, search: { cursorSecret: '[redacted]' } });
});

test('a secret that the process makes itself is none the less hidden', () => {
  const { CURSOR_SECRET: _, ...rest } = env;
  expect(JSON.parse(configText(rest)).effective.search.cursorSecret).toBe('[redacted]');
});

test("the command line's settings, too; an error is reported in its place", async () => {
  const whole = await entitySearch(['--print-config'], env);
  expect([whole.code, whole.err]).toEqual([0, '']);
  expect(whole.out).not.toMatch(/canary/i);
  expect(JSON.parse(whole.out)).toMatchObject({
    given: { REINDEX_REQUESTS: '7', DATABASE_URL: expect.stringContaining('role:[redacted]@') },
    effective: { reindex: { pressure: { maxRequests: 7 } }, database: { url: expect.stringContaining('[redacted]') } },
  });
  const { ELASTICSEARCH_URL: _, ...rest } = env;
  const { effective } = JSON.parse((await entitySearch(['reindex', '--print-config'], rest)).out);
  expect(effective.elasticsearch.wrong).toEqual([expect.stringMatching(/^ELASTICSEARCH_URL: is not set/)]);
  expect(effective.database.maxConnections).toBeGreaterThan(0);
});

test.each(Object.entries(secrets))('a wrong %s is refused without being repeated', async (name, value) => {
  const wrong = { ...env, [name]: `canary ${value.slice(0, 3)}` };
  const words = problemsOf(() => configText(wrong)).join('\n');
  expect(words).not.toMatch(/canary/);
});

test("a list of a cluster's addresses shows no password of any of them", () => {
  const list = 'https://reader:canary-one@a.example,https://reader:canary-two@b.example';
  const text = configText({ ...env, ELASTICSEARCH_URL: list });
  expect(text).not.toContain('canary-');
  expect(text).toContain('https://reader:[redacted]@a.example/,https://reader:[redacted]@b.example/');
});
