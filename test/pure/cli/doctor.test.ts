import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { pino } from 'pino';
import { runCli } from '../../../cli/cli.ts';
import { nextStep } from '../../../cli/commands/doctor.ts';
import { runChecks } from '../../../cli/doctor/check.ts';
import { judgeElasticsearchVersions } from '../../../cli/doctor/checks/elasticsearch.ts';
import { judgeServerVersion } from '../../../cli/doctor/checks/postgres.ts';
import { settingsCheck } from '../../../cli/doctor/checks/settings.ts';
import { type Finding, ok } from '../../../cli/doctor/finding.ts';
import { createTerminal } from '../../../cli/terminal.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';

test('checks are independent: one that throws or times out is a finding in its place', async () => {
  const findings = await runChecks(
    [
      { name: 'throws', run: () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })) },
      { name: 'server', isProbe: true, run: () => new Promise(() => undefined) },
      { name: 'slow', run: () => new Promise(() => undefined) },
      { name: 'rows', run: () => Promise.reject(Object.assign(new Error('no table x'), { code: '42P01' })) },
      { name: 'works', run: async () => ok('well') },
    ],
    50,
    new AbortController().signal,
  );
  expect(findings).toEqual([
    { check: 'throws', level: 'fail', found: 'no', todo: expect.stringMatching(/^Nothing answers at the address/) },
    {
      check: 'server',
      level: 'fail',
      found: 'No answer within 50 ms.',
      todo: 'Check that the server is up, reachable and not overloaded.',
    },
    {
      check: 'slow',
      level: 'warn',
      found: 'Not checked: it takes longer than 50 ms.',
      todo: 'Try again when there is less load.',
    },
    { check: 'rows', level: 'skipped', found: 'no table x: see postgres tables.', todo: null },
    { check: 'works', level: 'ok', found: 'well', todo: null },
  ]);
});

test('stopping doctor rejects with the reason', async () => {
  const stop = new AbortController();
  const running = runChecks([{ name: 'hangs', run: () => new Promise(() => undefined) }], 60_000, stop.signal);
  stop.abort(new Error('Stopped by SIGINT.'));
  await expect(running).rejects.toThrow('Stopped by SIGINT.');
});

const signal = new AbortController().signal;

test('invalid settings of all processes are reported once each', async () => {
  const env = { DATABASE_URL: 'postgres://a@b/c', PORT: 'x', REINDEX_REQUESTS: '0', X402_PAY_TO: '0x1' };
  const found = [await settingsCheck(env).run(signal)].flat().map((one) => `${one.level} ${one.found.split(':')[0]}`);
  expect(found.sort()).toEqual(['fail ELASTICSEARCH_URL', 'fail PORT', 'fail REINDEX_REQUESTS']);
});

test('valid settings that conflict cause a warning', async () => {
  const env = {
    DATABASE_URL: 'postgres://a@b/c',
    ELASTICSEARCH_URL: 'http://user:secret@search.example.com:9200',
  };
  const findings = [await settingsCheck(env).run(signal)].flat();
  expect(findings.map(({ level }) => level)).toEqual(['ok', 'warn']);
  expect(JSON.stringify(findings)).not.toContain('secret');
});

test.each<[string, readonly Finding[], string]>([
  [
    'a failure before a warning',
    [
      { check: 'a', level: 'warn', found: '', todo: 'Start: entity-search sync' },
      { check: 'b', level: 'fail', found: '', todo: 'Correct the row, then run: entity-search repair people' },
    ],
    'entity-search repair people',
  ],
  [
    'a failure without a command before a warning',
    [
      { check: 'a', level: 'fail', found: '', todo: 'Start the server.' },
      { check: 'b', level: 'warn', found: '', todo: 'Start: entity-search sync' },
    ],
    'Start the server.',
  ],
  [
    'the first warning with a command',
    [
      { check: 'a', level: 'warn', found: '', todo: 'Add memory.' },
      { check: 'b', level: 'warn', found: '', todo: 'Start: entity-search sync' },
      { check: 'c', level: 'warn', found: '', todo: 'Run: entity-search accounts create NAME' },
    ],
    'entity-search sync',
  ],
  ['a search if all is well', [{ check: 'a', level: 'ok', found: '', todo: null }], 'entity-search explain "NAME"'],
])('the next step is chosen: %s', (_, findings, next) => {
  expect(nextStep(findings)).toContain(next);
});

test('a terminal gets a line per finding with its remedy, then counts and the next step; a pipe gets JSON', async () => {
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
  expect(lines).toContain('-     paid search: The paid search is off: X402_PAY_TO is not set.');
  const at = lines.findIndex((line) => line.startsWith('FAIL  postgres version: '));
  expect(lines[at + 1]).toMatch(/^ {6}Nothing answers at the address/);
  expect(lines.at(-3)).toMatch(/^1 ok, 0 warn, \d+ fail, 2 skipped$/);
  expect(lines.at(-2)).toMatch(/^Next: Nothing answers at the address/);
  const piped = await entitySearch(['doctor'], env);
  expect([piped.code, piped.out]).toEqual([1, expect.stringMatching(/^\[\{"check":"settings"/)]);
  expect(piped.out).not.toContain('\u001B');
  expect(await onTerminal('doctor', '--json')).toBe(piped.out);
  expect(await onTerminal('--json', 'doctor')).toBe(piped.out);
});

const elasticsearch = (...versions: readonly string[]) => {
  const { level, found, todo } = judgeElasticsearchVersions(versions);
  return [level, found, todo];
};
const use = 'Use Elasticsearch 8.19 or 9.';

test.each([
  [['8.19.0'], 'ok', '8.19.0 on 1', null],
  [['8.19.21'], 'ok', '8.19.21 on 1', null],
  [['9.0.0'], 'ok', '9.0.0 on 1', null],
  [['9.12.0-SNAPSHOT'], 'ok', '9.12.0-SNAPSHOT on 1', null],
  [['7.17.29'], 'fail', '7.17.29 on 1', use],
  [['8.18.8'], 'fail', '8.18.8 on 1', use],
  [['10.0.0'], 'fail', '10.0.0 on 1', use],
  [['8.18.0', '9.5.3'], 'fail', '8.18.0, 9.5.3 on 2', use],
  // In the middle of an upgrade.
  [['9.5.3', '8.19.21', '9.5.3'], 'warn', '8.19.21, 9.5.3 on 3', expect.any(String)],
])('nodes of Elasticsearch %j: %s', (versions, level, found, todo) => {
  expect(elasticsearch(...versions)).toEqual([level, `Elasticsearch ${found} node(s).`, todo]);
});

test('a cluster without a version is a failure', () => {
  expect(elasticsearch()[0]).toBe('fail');
});

test.each([
  ['15.18', 'ok', '.', null],
  ['18.4 (Debian 18.4-1)', 'ok', '.', null],
  ['14.23', 'fail', ' is too old.', 'Use Postgres 15 to 18.'],
  ['9.6.24', 'fail', ' is too old.', 'Use Postgres 15 to 18.'],
  ['19beta1', 'warn', ' is newer than what was tested.', 'Use Postgres 15 to 18.'],
])('Postgres %s: %s', (name, level, found, todo) => {
  const judged = judgeServerVersion({ name, major: Number.parseInt(name, 10) });
  expect(judged).toMatchObject({ level, found: `Postgres ${name}${found}`, todo });
});
