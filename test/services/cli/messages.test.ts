import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { explainError } from '../../../indexer/errors.ts';
import { describeHolder } from '../../../indexer/generations/locks.ts';
import { forFile } from '../../support/for-file.ts';
import { setImportStage } from '../../support/stages/import.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// Messages of the command line about problems.

const stage = await forFile(setReindexStage());
const files = await forFile(setImportStage());

test('a terminated connection is reported as such, or as a stopped server', () => {
  const told = explainError(Object.assign(new Error('terminating connection'), { code: '57P01' }));
  expect(told).toContain('This connection was ended (pg_terminate_backend), or the server stopped');
});

test('a lock holder of another role is named by its process, without a start time', () => {
  const hidden = { pid: 12, applicationName: '<insufficient privilege>', since: null };
  expect(describeHolder(hidden)).toBe('a process of another role (Postgres process 12)');
});

test('after Ctrl-C the table shows the rows that were sent', async () => {
  const stop = new AbortController();
  const [report] = await stage.run({
    env: { REINDEX_REQUESTS: '1' },
    config: { batchBytes: 1_024, bytesInFlight: 2_048 },
    signal: stop.signal,
    observer: { onProgress: (_kind, { rows }) => rows > 200 && stop.abort(new Error('Stopped by SIGINT.')) },
  });
  expect(report?.reindex).toMatchObject({ state: 'loading', interrupted: true });
  expect(report?.reindex.counts.rows).toBeGreaterThan(200);
  await stage.run({ mode: 'abort' });
});

test('both missing addresses are named together', async () => {
  for (const command of ['reindex', 'sync', 'status']) {
    const { code, err } = await entitySearch([command], {});
    expect([code, err]).toEqual([
      64,
      expect.stringMatching(/DATABASE_URL: is not set.*\n.*ELASTICSEARCH_URL: is not set/),
    ]);
  }
});

test('https to a port that speaks http explains what to write', async () => {
  const url = stage.indices.url.replace('http:', 'https:');
  const { code, err } = await entitySearch(['status'], { ...stage.env, ELASTICSEARCH_URL: url });
  expect([code, err]).toEqual([1, expect.stringContaining('Write http:// in ELASTICSEARCH_URL')]);
  expect(err).not.toContain('SSL routines');
});

test('explain without indices names the command that builds them', async () => {
  const { code, err } = await entitySearch(['explain', 'uniswap'], { ...stage.env, INDEX_PREFIX: 'unbuilt-' });
  expect([code, err]).toEqual([1, expect.stringMatching(/\nBuild the index. Run: entity-search reindex companies$/m)]);
});

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)
    .map((id) => JSON.stringify({ id, name: `N ${id}`, slug: `n-${id}` }))
    .join('\n');

test('files may be compressed with gzip and end with .jsonl', async () => {
  writeFileSync(join(files.folder, 'companies.ndjson.gz'), gzipSync(lines(1, 2_000)));
  writeFileSync(join(files.folder, 'people.jsonl'), lines(1, 3));
  // Compressed, whatever its name.
  writeFileSync(join(files.folder, 'events.ndjson'), gzipSync(lines(1, 4)));
  const { code, out } = await files.import();
  expect([code, JSON.parse(out).map(({ kind, inserted }: Record<string, unknown>) => [kind, inserted])]).toEqual([
    0,
    expect.arrayContaining([
      ['companies', 2_000],
      ['people', 3],
      ['events', 4],
    ]),
  ]);
  writeFileSync(join(files.folder, 'people.ndjson'), lines(1, 3));
  expect((await files.import()).err).toContain('has people.ndjson and people.jsonl');
  rmSync(join(files.folder, 'people.jsonl'));
  writeFileSync(join(files.folder, 'events.ndjson'), gzipSync(lines(1, 4)).subarray(0, 40));
  expect((await files.import()).err).toContain('is cut short');
});

test('the problem of a line is reported as a sentence', async () => {
  rmSync(join(files.folder, 'companies.ndjson.gz'));
  files.files({ 'companies.ndjson': [{ id: 0, name: 7, slug: 'x'.repeat(501), founded_year: 10_000 }] });
  const { err } = await files.import();
  expect(err).toContain('id: must be more than 0');
  expect(err).toContain('name: must be a text');
  expect(err).toContain('slug: must have at most 500 characters');
  expect(err).not.toMatch(/expected|Too (small|big)|Invalid/);
});

/** The machine's own Node, if it is an old one. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path)) ?? process.execPath;

test('an old Node gets the required version, without a stack trace', async () => {
  const child = spawn(oldNode, ['bin/entity-search.js', '--version'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code === 0) return expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect([code, err]).toEqual([1, expect.stringMatching(/^entity-search needs Node 22\.18 or later.*\n$/)]);
});

test('npm installs that entry as the command', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).bin).toEqual({ 'entity-search': './bin/entity-search.js' });
});
