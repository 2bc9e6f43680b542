import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withClient } from '../../dev/engines/postgres/client.ts';
import { findProcessesIn } from '../../dev/lib/processes.ts';
import { until } from '../support/until.ts';

/** The local stack itself, so not the engines that the environment or Docker would give; started with less compiling. */
const env = {
  ...process.env,
  DATABASE_URL: '',
  ELASTICSEARCH_URL: '',
  ES_JAVA_OPTS: '-XX:TieredStopAtLevel=1',
  DOCKER_HOST: 'unix:///nowhere.sock',
};
const root = join(import.meta.dirname, '..', '..');
const running = new Set<ChildProcess>();
const states: string[] = [];

interface Ready {
  readonly postgres: string;
  readonly elasticsearch: string;
}

interface Run {
  readonly child: ChildProcess;
  /** Its stderr so far. */
  words(): string;
  readonly ready: Promise<Ready>;
  readonly exited: Promise<number | null>;
}

function newState(): string {
  const state = mkdtempSync(join(root, '.local', 'test-engines-'));
  states.push(state);
  return state;
}

/** `npm run engines` in all but npm. */
function startEngines(state: string, given: Readonly<Record<string, string>> = {}): Run {
  const child = spawn(process.execPath, ['dev/engines/main.ts'], {
    cwd: root,
    env: { ...env, STATE: state, ...given },
  });
  running.add(child);
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  const ready = new Promise<Ready>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    exited.then((code) => reject(new Error(`It ended with ${code}: ${words}`)), reject);
  });
  ready.catch(() => undefined);
  return { child, words: () => words, ready, exited };
}

async function stop(run: Run): Promise<number | null> {
  run.child.kill('SIGTERM');
  return run.exited;
}

function processesOf(state: string): readonly number[] {
  return [
    ...findProcessesIn(join(state, 'postgres'), 'postgres'),
    ...findProcessesIn(join(state, 'elasticsearch'), 'java'),
  ];
}

async function query(url: string, sql: string): Promise<unknown[]> {
  return (await withClient(url, (client) => client.query(sql))).rows;
}

async function request(url: string, method: string, body?: unknown): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }) });
  return { status: answer.status, text: await answer.text() };
}

function occupy(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

afterAll(async () => {
  await Promise.all(
    [...running].map((child) => new Promise((resolve) => child.once('close', resolve).kill('SIGTERM'))),
  );
  for (const state of states) rmSync(state, { recursive: true, force: true });
});

describe('the engines of one state folder', () => {
  let state: string;
  let run: Run;
  let ready: Ready;

  beforeAll(async () => {
    state = newState();
    run = startEngines(state);
    ready = await run.ready;
  });

  test('are not started if both addresses are given', async () => {
    const given = { DATABASE_URL: ready.postgres, ELASTICSEARCH_URL: ready.elasticsearch };
    const other = startEngines(newState(), given);
    expect(await other.ready).toMatchObject({ postgres: ready.postgres, elasticsearch: ready.elasticsearch });
    expect(await other.exited).toBe(0);
    expect(other.words()).toContain('nothing was started');
  });

  test('are real, listen on loopback, and report their source', async () => {
    expect(
      await query(ready.postgres, 'select current_database() as db, version() like $$PostgreSQL 18.%$$ as is18'),
    ).toEqual([{ db: 'entity_search', is18: true }]);
    expect((await request(`${ready.elasticsearch}/_cat/nodes?h=version`, 'GET')).text).toMatch(/^9\./);
    expect(run.words()).toContain('Postgres: embedded on 127.0.0.1; Elasticsearch: embedded on 127.0.0.1');
    expect(new URL(ready.postgres).hostname).toBe('127.0.0.1');
  });

  test('have the extensions that the schema needs, and sort the same on every machine', async () => {
    expect(
      await query(
        ready.postgres,
        `select name from pg_available_extensions where name in ('pg_trgm', 'unaccent', 'pgcrypto') order by name`,
      ),
    ).toHaveLength(3);
    expect(
      await query(
        ready.postgres,
        `select datlocprovider as provider, lower('ÅÉ') as folded from pg_database where datname = current_database()`,
      ),
    ).toEqual([{ provider: 'b', folded: 'åé' }]);
  });

  test('need a password, which only its owner may read', async () => {
    const wrong = new URL(ready.postgres);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(statSync(join(state, 'postgres-password')).mode & 0o777).toBe(0o600);
  });

  test('refuse a second process on the same folder, and name the first', async () => {
    const second = startEngines(state);
    expect(await second.exited).toBe(1);
    expect(second.words()).toContain(`is in use by process ${run.child.pid}`);
  });

  test('keep data and addresses after kill -9, which leaves no process behind', async () => {
    await query(ready.postgres, 'create table kept as select 7 as seven');
    await request(`${ready.elasticsearch}/kept`, 'PUT', { settings: { number_of_replicas: 0 } });
    await request(`${ready.elasticsearch}/kept/_doc/1`, 'PUT', { seven: 7 });
    run.child.kill('SIGKILL');
    await run.exited;
    run = startEngines(state);
    expect(await run.ready).toEqual(ready);
    expect(await query(ready.postgres, 'select seven from kept')).toEqual([{ seven: 7 }]);
    expect((await request(`${ready.elasticsearch}/kept/_doc/1`, 'GET')).text).toContain('"seven":7');

    run.child.kill('SIGKILL');
    await run.exited;
    await until(() => processesOf(state).length === 0, 'the end of both engines');
  });

  test('start on a folder left by a power failure, on other ports if their own are taken', async () => {
    // Both files name a running process that is not an engine: this one.
    const pidFile = join(state, 'postgres', 'postmaster.pid');
    writeFileSync(pidFile, `${process.pid}\n${join(state, 'postgres')}\n1700000000\n5432\n\n127.0.0.1\n`);
    writeFileSync(join(state, 'lock.json'), JSON.stringify({ pid: process.pid, started: 'long ago' }));
    const taken = await Promise.all(
      [ready.postgres, ready.elasticsearch].map((url) => occupy(Number(new URL(url).port))),
    );
    try {
      run = startEngines(state);
      const moved = await run.ready;
      expect(new URL(moved.postgres).port).not.toBe(new URL(ready.postgres).port);
      expect(new URL(moved.elasticsearch).port).not.toBe(new URL(ready.elasticsearch).port);
      expect(await query(moved.postgres, 'select seven from kept')).toEqual([{ seven: 7 }]);
    } finally {
      for (const server of taken) server.close();
    }
  });

  test('stop on SIGTERM with exit code 0, leaving no process and no lock', async () => {
    expect(await stop(run)).toBe(0);
    expect(processesOf(state)).toEqual([]);
    expect(() => readFileSync(join(state, 'lock.json'))).toThrow(/ENOENT/);
  });

  test('stop cleanly even while they start, and start even if the file of ports is cut off', async () => {
    writeFileSync(join(state, 'ports.json'), '{"postgres": 54');
    run = startEngines(state);
    await until(() => processesOf(state).length >= 2, 'the start of both engines');
    expect(await stop(run)).toBe(0);
    expect(processesOf(state)).toEqual([]);
  });
});
