import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerAnswers } from '../../../dev/engines/docker.ts';

const dir = mkdtempSync(join(tmpdir(), 'docker-'));
const servers: Server[] = [];

function listen(name: string, answer: RequestListener): Promise<string> {
  const socket = join(dir, name);
  const server = createServer(answer);
  servers.push(server);
  return new Promise((resolve) => server.listen(socket, () => resolve(`unix://${socket}`)));
}

afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  rmSync(dir, { recursive: true, force: true });
});

test('Docker is there when its engine answers the ping', async () => {
  const asked: (string | undefined)[] = [];
  const DOCKER_HOST = await listen('engine.sock', (request, response) => {
    asked.push(request.url);
    response.end('OK');
  });
  expect(await dockerAnswers({ DOCKER_HOST })).toBe(true);
  expect(asked).toEqual(['/_ping']);
});

test('Docker counts as missing when its socket is closed, or answers only an error', async () => {
  expect(await dockerAnswers({ DOCKER_HOST: `unix://${join(dir, 'nobody.sock')}` })).toBe(false);
  const DOCKER_HOST = await listen('broken.sock', (_request, response) => response.writeHead(500).end());
  expect(await dockerAnswers({ DOCKER_HOST })).toBe(false);
});

test('an engine that hangs is not waited for', async () => {
  const DOCKER_HOST = await listen('hanging.sock', () => undefined);
  expect(await dockerAnswers({ DOCKER_HOST })).toBe(false);
});
