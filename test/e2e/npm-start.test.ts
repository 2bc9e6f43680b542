import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..', '..');

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

test.each(Object.entries(scripts))('npm run %s replaces its shell with the last program', (_name, script) => {
  expect(script.split('&&').at(-1)?.trim()).toMatch(/^exec /);
});

test('SIGTERM to npm start ends the API, not just npm', async () => {
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      ELASTICSEARCH_URL: 'http://127.0.0.1:1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A process group, so that all that is left of it can be ended.
    detached: true,
  });
  const listening = Promise.withResolvers<number>();
  let stopped = false;
  createInterface({ input: child.stdout }).on('line', (line) => {
    // npm's own lines aren't JSON.
    const { msg, port } = line.startsWith('{') ? JSON.parse(line) : {};
    if (msg === 'listening') listening.resolve(port);
    if (msg === 'stopped') stopped = true;
  });
  try {
    const url = `http://127.0.0.1:${await listening.promise}/api/health`;
    expect((await fetch(url)).status).toBe(503);
    child.kill('SIGTERM');
    // Closed only when every process that holds its output has ended.
    await once(child, 'close');
    expect(stopped).toBe(true);
    await expect(fetch(url)).rejects.toThrow();
  } finally {
    if (child.pid !== undefined) endGroup(child.pid);
  }
});

/** Ends what is left of a process group, if anything is. */
function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
