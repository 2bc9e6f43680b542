import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { pino } from 'pino';
import { runCli } from '../../../cli/cli.ts';
import { runChecks } from '../../../cli/doctor/check.ts';
import { nodeCheck, settingsCheck } from '../../../cli/doctor/checks/settings.ts';
import { ok } from '../../../cli/doctor/finding.ts';
import { createTerminal } from '../../../cli/terminal.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';

test('checks are independent: one that throws and one that hangs are findings, in their places', async () => {
  const findings = await runChecks(
    [
      { name: 'throws', run: () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })) },
      { name: 'hangs', run: () => new Promise(() => undefined) },
      { name: 'works', run: async () => ok('well') },
    ],
    50,
    new AbortController().signal,
  );
  expect(findings).toEqual([
    { check: 'throws', level: 'fail', found: 'no', todo: expect.stringMatching(/^Nothing answers at the address/) },
    {
      check: 'hangs',
      level: 'fail',
      found: 'No answer within 50 ms.',
      todo: expect.stringMatching(/load of the system/),
    },
    { check: 'works', level: 'ok', found: 'well', todo: null },
  ]);
});

test('a caller that stops it gets the reason', async () => {
  const stop = new AbortController();
  const running = runChecks([{ name: 'hangs', run: () => new Promise(() => undefined) }], 60_000, stop.signal);
  stop.abort(new Error('Stopped by SIGINT.'));
  await expect(running).rejects.toThrow('Stopped by SIGINT.');
});

const signal = new AbortController().signal;

test.each([
  ['24.21.0', 'ok'],
  ['26.0.0', 'warn'],
  ['22.18.0', 'warn'],
  ['22.17.9', 'fail'],
  ['20.11.1', 'fail'],
])('node %s: %s', async (version, level) => {
  expect(await nodeCheck(version).run(signal)).toMatchObject({ level });
});

test('all wrong settings of all processes are reported, each once', async () => {
  const env = { DATABASE_URL: 'postgres://a@b/c', PORT: 'x', REINDEX_REQUESTS: '0', X402_PAY_TO: '0x1' };
  const found = [await settingsCheck(env).run(signal)].flat().map((one) => `${one.level} ${one.found.split(':')[0]}`);
  expect(found.sort()).toEqual(['fail ELASTICSEARCH_URL', 'fail PORT', 'fail REINDEX_REQUESTS']);
});

test('in production a missing secret for cursors is reported, with the way to create one', async () => {
  const env = { DATABASE_URL: 'postgres://a@b/c', ELASTICSEARCH_URL: 'http://a:1', NODE_ENV: 'production' };
  expect(await settingsCheck(env).run(signal)).toEqual([
    expect.objectContaining({ level: 'fail', found: expect.stringMatching(/^CURSOR_SECRET: .*openssl rand -hex 32/) }),
  ]);
});

test('settings that are valid and do not go together are warned of', async () => {
  const env = {
    DATABASE_URL: 'postgres://a@b/c',
    ELASTICSEARCH_URL: 'http://user:secret@search.example.com:9200',
  };
  const findings = [await settingsCheck(env).run(signal)].flat();
  expect(findings.map(({ level }) => level)).toEqual(['ok', 'warn']);
  expect(JSON.stringify(findings)).not.toContain('secret');
});

test('on a terminal it is a line each, with what to do below, and counts at the end; piped it is JSON', async () => {
  const env = { DATABASE_URL: 'postgres://a@127.0.0.1:1/b', ELASTICSEARCH_URL: 'http://127.0.0.1:1' };
  const onTerminal = async (...args: readonly string[]) => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const log = pino({ level: 'silent' });
    const context = { env, terminal: createTerminal(stdout, new PassThrough()), log, signal };
    expect(await runCli(args, context, '0.0.0')).toBe(1);
    stdout.end();
    return stripVTControlCharacters(await text(stdout));
  };
  const lines = (await onTerminal('doctor')).split('\n');
  expect(lines).toContain('ok    settings: All settings of the API and of the command line are valid.');
  expect(lines).toContain('-     paid search: It is off: X402_PAY_TO is not set.');
  const at = lines.findIndex((line) => line.startsWith('FAIL  postgres version: '));
  expect(lines[at + 1]).toMatch(/^ {6}Nothing answers at the address/);
  expect(lines.at(-2)).toMatch(/^2 ok, 0 warn, \d+ fail, 2 skipped$/);
  const piped = await entitySearch(['doctor'], env);
  expect([piped.code, piped.out]).toEqual([1, expect.stringMatching(/^\[\{"check":"settings"/)]);
  expect(piped.out).not.toContain('\u001B');
  expect(await onTerminal('doctor', '--json')).toBe(piped.out);
  expect(await onTerminal('--json', 'doctor')).toBe(piped.out);
});
