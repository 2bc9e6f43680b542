import { readConfig } from '../../../src/config/api.ts';
import { readEnvironment, type secretVariables } from '../../../src/config/secrets.ts';
import { problemsOf } from '../../support/settings-read.ts';

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

test('a secret from a file is used exactly, except for a final line break', () => {
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

test('giving a secret both ways, and missing files, are reported by name', () => {
  const env = {
    DATABASE_URL: 'postgres://a@b/c',
    DATABASE_URL_FILE: '/run/db',
    CURSOR_SECRET_FILE: '/none',
    X402_RPC_URL_FILE: '',
  };
  expect(problemsOf(() => readEnvironment(env, read))).toEqual([
    'DATABASE_URL_FILE: give either this or DATABASE_URL, not both',
    'CURSOR_SECRET_FILE: the file /none cannot be read (ENOENT); correct the path or its permissions',
  ]);
});

test('without secret files, the environment is used as given', () => {
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
};

test.each(Object.entries(secrets))('an invalid %s is refused without being printed', async (name, value) => {
  const wrong = { ...env, [name]: `canary ${value.slice(0, 3)}` };
  const words = problemsOf(() => readConfig(wrong)).join('\n');
  expect(words).not.toMatch(/canary/);
});
