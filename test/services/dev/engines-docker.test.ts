import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerAnswers, startDockerElasticsearch } from '../../../dev/engines/docker.ts';
import { newestElasticsearch } from '../../../dev/engines/elasticsearch/versions.ts';
import { openState } from '../../../dev/lib/state.ts';

const dir = mkdtempSync(join(tmpdir(), 'docker-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The environment of a program `docker` that does what the script says. */
function withDocker(script: string) {
  const folder = mkdtempSync(join(dir, 'bin-'));
  writeFileSync(join(folder, 'docker'), `#!/bin/sh\necho "$@" >> ${folder}/calls\n${script}\n`);
  chmodSync(join(folder, 'docker'), 0o755);
  const calls = (): readonly string[] => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return { env: { PATH: `${folder}:/usr/bin:/bin` }, calls };
}

test('Docker is used if its engine answers', async () => {
  const { env, calls } = withDocker('echo 29.1.0');
  expect(await dockerAnswers(env)).toBe(true);
  expect(calls()).toEqual(['version --format {{.Server.Version}}']);
});

test('Docker is not used if there is no command or no engine', async () => {
  expect(await dockerAnswers({ PATH: dir })).toBe(false);
  expect(await dockerAnswers(withDocker('exit 1').env)).toBe(false);
});

test('an engine that hangs delays the choice by less than two seconds', async () => {
  const begun = performance.now();
  expect(await dockerAnswers(withDocker('exec sleep 60').env)).toBe(false);
  expect(performance.now() - begun).toBeLessThan(2_000);
});

test('an engine is a container and a volume of the state folder, which replaces one that a killed run has left', async () => {
  await using server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  const { env, calls } = withDocker(`case $1 in ps) echo 0ff1ce;; port) echo 127.0.0.1:${port};; esac`);
  const state = openState(join(dir, 'state'));
  const engine = await startDockerElasticsearch(state, { heapMb: 512, version: newestElasticsearch, env });
  await engine.stop();
  state.release();
  expect(engine.url).toBe(`http://127.0.0.1:${port}`);
  const [ps = '', remove, run = '', published, stop] = calls();
  const name = /name=\^\/\?(entity-search-\w{12}-elasticsearch)\$$/.exec(ps)?.[1];
  expect(remove).toBe('rm --force 0ff1ce');
  expect(run).toContain(`run --detach --rm --name ${name} --volume ${name}:/usr/share/elasticsearch/data`);
  expect(run).toMatch(
    /--publish 127\.0\.0\.1::9200 .*--env discovery\.type .*docker\.elastic\.co\/elasticsearch\/\S+$/,
  );
  expect(published).toBe(`port ${name} 9200/tcp`);
  expect(stop).toBe(`stop --time 6 ${name}`);
});
