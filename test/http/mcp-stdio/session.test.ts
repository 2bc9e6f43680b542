import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { forFile } from '../../support/for-file.ts';
import { type FakeBehaviour, type FakeService, searchTool, startFakeService } from '../../support/mcp/fake-service.ts';
import { startStdio, stdioCommand, stdioProgram, textOf } from '../../support/mcp/stdio.ts';
import { until } from '../../support/until.ts';

// A desktop client meets faults: the program continues, and names the next step.

const env = ({ url }: Pick<FakeService, 'url'>) => ({
  ENTITY_SEARCH_URL: url,
  ENTITY_SEARCH_API_KEY: 'es_test_something',
});

/** A service whose behaviour tests set, and a session with it. */
const behaviour: { -readonly [Part in keyof FakeBehaviour]: FakeBehaviour[Part] } = {};
const shared = await forFile(startFakeService(behaviour));
const session = await forFile(startStdio(env(shared)));
afterEach(() => void Object.assign(behaviour, { call: undefined, raw: undefined }));

/** The program by itself, as a shell starts it. */
function start(given: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const { command, args: all, env } = stdioCommand(given, args);
  const child = spawn(command, all, { env, stdio: 'pipe' });
  return { child, exited: once(child, 'exit'), said: text(child.stderr), answered: text(child.stdout) };
}

test.each(['legacy', 'auto'] as const)(
  'the published client of version 2 lists and calls tools with the key (%s)',
  async (mode) => {
    await using service = await startFakeService();
    await using session = await startStdio(env(service), mode);
    expect((await session.client.listTools()).tools).toMatchObject([searchTool]);
    expect(textOf(await session.call())).toBe('found');
    expect(service.calls[0]).toMatchObject({
      arguments: { query: 'quartz' },
      headers: { authorization: 'Bearer es_test_something' },
    });
  },
);

test('a key is read from a file and never printed', async () => {
  await using service = await startFakeService();
  const folder = await mkdtemp(join(tmpdir(), 'mcp-key-'));
  writeFileSync(join(folder, 'key'), 'es_test_in_a_file\n');
  const session = await startStdio({
    ENTITY_SEARCH_URL: `${service.url}/mcp/`,
    ENTITY_SEARCH_API_KEY_FILE: join(folder, 'key'),
  });
  await session.call();
  expect(service.calls[0]?.headers.authorization).toBe('Bearer es_test_in_a_file');
  expect(await session.end()).not.toContain('es_test_in_a_file');
  await rm(folder, { recursive: true });
});

test('an unreachable service is reported, and used again once it is back', async () => {
  await using service = await startFakeService();
  await service.close();
  await using session = await startStdio(env(service));
  const away = await session.call();
  expect(away.isError).toBe(true);
  expect(textOf(away)).toMatch(/can't be reached \(ECONNREFUSED\): check ENTITY_SEARCH_URL/);
  await expect(session.client.listTools()).rejects.toThrow(/can't be reached/);
  await service.listen();
  expect(textOf(await session.call())).toBe('found');
  await service.close();
  expect(textOf(await session.call())).toMatch(/can't be reached/);
  await service.listen();
  expect(textOf(await session.call())).toBe('found');
});

test.each([
  [401, 'application/json', /refuses the API key \(401\): check ENTITY_SEARCH_API_KEY/],
  [200, 'text/html', /answers, but not as an MCP server \(200 at \/mcp\)/],
  [404, 'application/json', /answers, but not as an MCP server \(404/],
  [302, 'text/html', /answers, but not as an MCP server/],
  [502, 'text/html', /is not available now \(502\)/],
])('an HTTP answer %d of type %s is explained', async (status, type, sentence) => {
  behaviour.raw = (response) => {
    response.writeHead(status, { 'Content-Type': type, Location: '/elsewhere' }).end('{}');
    return true;
  };
  expect(textOf(await session.call())).toMatch(sentence);
});

test('an endless answer is cut off', async () => {
  behaviour.call = () => ({ content: [{ type: 'text', text: 'x'.repeat(9 * 1024 * 1024) }] });
  expect(textOf(await session.call())).toMatch(/is larger than 8388608 bytes/);
});

test('cancelling a call cancels it at the service', async () => {
  behaviour.call = () => new Promise(() => {});
  const cancel = new AbortController();
  const earlier = shared.calls.length;
  const call = session.call({ query: 'quartz' }, cancel.signal);
  await until(() => shared.calls.length > earlier, 'The call');
  const before = shared.abandoned();
  cancel.abort();
  await expect(call).rejects.toThrow();
  await until(() => shared.abandoned() > before, 'The end of the call at the service');
});

test('a call beyond 64 at a time is refused, and the others continue', async () => {
  const answers: (() => void)[] = [];
  behaviour.call = () =>
    new Promise((resolve) => answers.push(() => resolve({ content: [{ type: 'text', text: 'found' }] })));
  const calls = Array.from({ length: 64 }, () => session.call());
  await until(() => answers.length === 64, 'Every call');
  expect(textOf(await session.call())).toMatch(/More than 64 calls are under way/);
  for (const answer of answers) answer();
  expect((await Promise.all(calls)).map(textOf)).toEqual(Array(64).fill('found'));
});

test('the process exits when stdin ends, even with a call in progress', async () => {
  await using service = await startFakeService({ call: () => new Promise(() => {}) });
  const { child, exited, said, answered } = start(env(service));
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } };
  const messages = [
    { id: 1, method: 'initialize', params: initialize },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'search_entities', arguments: {} } },
  ];
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await until(() => service.calls.length === 1, 'The call');
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  expect(await said).toMatch(/stdin has ended: ending/);
  expect((await answered).trim().split('\n')).toHaveLength(1);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the process', async (signal) => {
  await using service = await startFakeService();
  const { child, exited } = start(env(service));
  await once(child.stderr, 'data');
  child.kill(signal);
  expect(await exited).toEqual([0, null]);
});

test('an invalid message is reported on stderr only, and an endless one ends the process', async () => {
  await using service = await startFakeService();
  const { child, exited, said, answered } = start(env(service));
  child.stdin.on('error', () => {});
  child.stdin.write('this is no JSON\n');
  child.stdin.write('x'.repeat(5 * 1024 * 1024));
  expect(await exited).toEqual([0, null]);
  expect(await said).toMatch(/exceeded maximum size of 4194304 bytes/);
  expect(await answered).toBe('');
});

test('help and errors explain what to do, with their exit codes', async () => {
  const help = start({}, ['--help']);
  expect(await help.exited).toEqual([0, null]);
  expect(await help.answered).toMatch(/"command": "npx"[\s\S]*ENTITY_SEARCH_WALLET_KEY/);
  const wrong = start({ ENTITY_SEARCH_API_KEY: 'es_test_something', ENTITY_SEARCH_TIMEOUT_SECONDS: '0' });
  expect(await wrong.exited).toEqual([2, null]);
  expect(await wrong.said).toMatch(/ENTITY_SEARCH_URL \(or --url\) is missing[\s\S]*TIMEOUT_SECONDS must be/);
  expect(stdioProgram).toMatch(/entity-search-mcp\.js$/);
});
