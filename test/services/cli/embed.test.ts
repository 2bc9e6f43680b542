import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { startEmbeddingServer } from '../../support/embeddings/embedding-server.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';
import { until } from '../../support/until.ts';

// The command against a server that speaks OpenAI's form.

const companies = 300;
const everything = companies + 40 + 30;

const stage = await forFile(setReindexStage(companies));
const server = await closedAfterFile(startEmbeddingServer({ dimension: 8 }), (opened) => opened.close());
const settings = { EMBEDDINGS: server.url, EMBEDDINGS_MODEL: 'words', EMBEDDINGS_DIMENSION: '8' };
const env = withCommandLimits(
  { ...stage.env, ...settings },
  { embeddings: { firstPauseMs: 10, longestPauseMs: 20, attempts: 2 } },
);

beforeEach(async () => {
  await server.fail(null);
  server.reject(null);
  await stage.pool.query('delete from entity_vectors');
});

async function embed(...args: readonly string[]) {
  const { code, out, err } = await entitySearch(['embed', ...args], env);
  return { code, err, rows: out === '' ? [] : JSON.parse(out) };
}

const vectors = () => readValue<number>(stage.pool, 'select count(*) as count from entity_vectors');

/** Counts the connections of commands to the database, other than the test's own. */
const otherConnections = () =>
  readValue<number>(
    stage.pool,
    `select count(*) as count from pg_stat_activity
     where datname = current_database() and application_name like 'entity-search%'`,
  );

test('the command embeds all kinds, and then finds nothing to do', async () => {
  const { code, rows, err } = await embed();
  expect(code).toBe(0);
  expect(rows).toEqual([
    { kind: 'companies', model: 'words', stored: companies, skipped: 0, removed: 0, waiting: 0 },
    expect.objectContaining({ kind: 'people', stored: 40 }),
    expect.objectContaining({ kind: 'investors', stored: 30 }),
    expect.objectContaining({ kind: 'events', stored: 0 }),
  ]);
  expect(err).toContain('"phase":"embed","done":300,"total":300');
  expect(await vectors()).toBe(everything);
  const asked = server.requests.length;
  expect(await embed('companies')).toMatchObject({ code: 0, rows: [{ stored: 0 }] });
  expect(server.requests.slice(asked).flatMap(({ input }) => input)).toHaveLength(1);
});

test('without a provider, nothing is started', async () => {
  const off = await entitySearch(['embed'], stage.env);
  expect(off.code).toBe(64);
  expect(off.err).toContain('EMBEDDINGS is off');
});

test.each([
  ['down', /EMBEDDINGS|reach|answer/],
  ['dimension', /EMBEDDINGS_DIMENSION/],
  ['nan', /provider of embeddings/],
  [401, /EMBEDDINGS_API_KEY/],
] as const)('a server with the fault %s is reported immediately, and nothing is stored', async (fault, said) => {
  await server.fail(fault);
  const { code, err } = await embed('companies');
  expect(code).toBe(1);
  expect(err).toMatch(said);
  expect(await vectors()).toBe(0);
});

test('a text that the server refuses is named, and the exit code shows that texts are missing', async () => {
  await stage.pool.query(`update companies set overview = 'unspeakable' where id = 7`);
  server.reject((text) => text.includes('unspeakable'));
  const { code, rows, err } = await embed('companies');
  expect(code).toBe(2);
  expect(rows).toEqual([expect.objectContaining({ stored: companies - 1, skipped: 1, waiting: 1 })]);
  expect(err).toContain('"id":7');
});

test('killed at any moment, the command continues where it was', async () => {
  await server.fail('slow');
  const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
  const child = spawn(process.execPath, [main, 'embed', 'companies'], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await until(async () => (await vectors()) >= 16, 'the first batch');
  child.kill('SIGKILL');
  await ended;
  await server.fail(null);
  // Postgres may still be executing the killed process's last statement.
  await until(async () => (await otherConnections()) === 0, 'the end of its connections');
  const before = await vectors();
  expect(before).toBeLessThan(companies);
  const asked = server.requests.length;
  expect(await embed('companies')).toMatchObject({ code: 0, rows: [{ stored: companies - before, waiting: 0 }] });
  const inputs = server.requests.slice(asked).flatMap(({ input }) => input);
  // One more, by which it was seen that the server answers.
  expect(inputs).toHaveLength(companies - before + 1);
});

test('stopped during its first request, the command ends immediately', async () => {
  await server.fail('hang');
  const asked = server.requests.length;
  const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
  const child = spawn(process.execPath, [main, 'embed', 'companies'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(child.stderr);
  const ended = once(child, 'exit');
  await until(() => server.requests.length > asked, 'the first question');
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(await said).toContain('Stopped by SIGTERM');
});
