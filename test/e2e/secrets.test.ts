import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { runCli } from '../../cli/cli.ts';
import { createTerminal } from '../../cli/terminal.ts';
import { requiredEnv } from '../support/jest/required-env.ts';

// No process ever prints its secrets: at the most verbose level, with engines that are down, that refuse the password,
// and with everything in order.

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'entity-search-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const canaries = {
  ELASTICSEARCH_API_KEY: 'canary-elasticsearch-key',
  CURSOR_SECRET: 'canary-cursor-secret',
  X402_PAY_TO: '0x1111111111111111111111111111111111111111',
  X402_RPC_URL: 'http://127.0.0.1:1/canary-rpc-key',
  X402_FACILITATOR_URL: 'http://user:canary-facilitator@127.0.0.1:1/canary-path',
  X402_FACILITATOR_HEADERS: '{"Authorization":"Bearer canary-bearer"}',
  LOG_LEVEL: 'trace',
} as const;

function refused(): string {
  const url = new URL(requiredEnv('TEST_DATABASE_URL'));
  url.password = 'canary-wrong-password';
  return url.href;
}

const nowhere = 'postgres://somebody:canary-password@127.0.0.1:1/none';
const elasticsearchNowhere = 'http://reader:canary-reader@127.0.0.1:1';

interface Ended {
  readonly code: number | null;
  readonly words: string;
}

/** Runs a program to its end; the API gets a few requests and is then stopped. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, args, { cwd: root, env: { PATH, NODE_COMPILE_CACHE, PORT: '0', ...env } });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
    const port = /"port":(\d+),"msg":"listening"/.exec(chunk)?.[1];
    if (port !== undefined) void askAll(`http://127.0.0.1:${port}`).finally(() => child.kill('SIGTERM'));
  });
  const [words, code] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { code, words: out + words };
}

async function askAll(url: string): Promise<void> {
  const headers = { authorization: 'Bearer es_live_canarycanarycanarycanary' };
  const paths = [
    '/api/health?detailed=true',
    '/api/v1/search?type=all&query=a',
    '/api/v1/x402/search?q=a',
    '/openapi.json',
  ];
  await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`, { headers })).text()));
}

/** The secrets of a process that reads the address of its database from a file. */
function fromFile(database: string): Readonly<Record<string, string>> {
  const path = join(folder, 'database-url');
  writeFileSync(path, `${database}\n`);
  return { ...canaries, DATABASE_URL_FILE: path, ELASTICSEARCH_URL: elasticsearchNowhere };
}

test.each([
  ['down', nowhere],
  ['refusing the password', ''],
])('the API reads secrets from files, and never prints one when its engines are %s', async (_title, database) => {
  const { code, words } = await run(['src/main.ts'], fromFile(database || refused()));
  expect(code).toBe(0);
  expect(words).toContain('postgres does not answer');
  expect(words).not.toMatch(/canary|is not set/i);
});

/** A command within this process, at the most verbose level, with the output of a separate process. */
async function command(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const screen = new PassThrough();
  const { signal } = new AbortController();
  const log = pino({ level: 'trace', base: null }, screen);
  const running = runCli(args, { env, terminal: createTerminal(screen, screen), log, signal }, '0.0.0').finally(() =>
    screen.end(),
  );
  const [code, words] = await Promise.all([running, text(screen)]);
  return { code, words };
}

test.each([['status'], ['reindex'], ['sync', '--once'], ['keys', 'list'], ['import', folder], ['migrate'], ['doctor']])(
  'entity-search %s never prints a secret when its engines are down or refuse the password',
  async (...args) => {
    const shared = { ...canaries, ELASTICSEARCH_URL: elasticsearchNowhere };
    const runs = await Promise.all([nowhere, refused()].map((url) => command(args, { ...shared, DATABASE_URL: url })));
    for (const { code, words } of runs) {
      expect([code, words]).toEqual([1, expect.stringMatching(/./)]);
      expect(words).not.toMatch(/canary/i);
    }
  },
);

test('the command-line process reads secrets from files, and never prints one', async () => {
  const { code, words } = await run(['cli/main.ts', 'status'], fromFile(refused()));
  expect([code, words]).toEqual([1, expect.stringContaining('password authentication failed')]);
  expect(words).not.toMatch(/canary|is not set/i);
});

test('a secret that is given both ways ends the API at its start', async () => {
  const { code, words } = await run(['src/main.ts'], { ...fromFile(nowhere), DATABASE_URL: nowhere });
  expect([code, words]).toEqual([1, expect.stringContaining('DATABASE_URL_FILE: give either this or DATABASE_URL')]);
});
