import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { startApiProcess } from '../support/api/process.ts';
import { setStage } from '../support/stages/api.ts';

/** Engines that are down: nothing listens on port 1. */
const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', ELASTICSEARCH_URL: 'http://127.0.0.1:1' };

const startMain = (env: Readonly<Record<string, string>>, checked = true) =>
  startApiProcess(env, { checked, isMain: true });

describe('The API process', () => {
  test('does not start with invalid settings, and names the corrections', async () => {
    await using api = startMain({ PORT: 'many', ELASTICSEARCH_URL: nowhere.ELASTICSEARCH_URL });
    const { code, words } = await api.ended;
    expect(code).toBe(1);
    expect(words).toMatch(/PORT: must be a whole number/);
    expect(words).toMatch(/DATABASE_URL: is not set/);
    expect(api.log).toEqual([]);
  });

  test('does not start on a port that is in use, and reports it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await using api = startMain({ ...nowhere, PORT: String(port) });
    const { code, words } = await api.ended;
    other.close();
    expect(code).toBe(1);
    expect(words).toContain(`Can't listen on 127.0.0.1:${port}`);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('reports missing engines, and exits with 0 on %s', async (signal) => {
    await using api = startMain(nowhere);
    const response = await fetch(`${await api.url}/api/health`, { headers: { connection: 'close' } });
    expect(response.status).toBe(503);
    api.child.kill(signal);
    expect((await api.ended).code).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT'])('exits with 0 on %s while starting', async (signal) => {
    // Ends it at the first loaded package, before any setting has been read.
    const hook = `load(url,context,next){if(url.includes('/node_modules/zod/')&&!told){told=true;process.kill(process.pid,'${signal}')}return next(url,context)}`;
    const preload = `import{registerHooks}from'node:module';let told=false;registerHooks({${hook}})`;
    const options = {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    };
    await using api = startMain({ ...nowhere, ...options }, false);
    expect(await api.ended).toEqual({ code: 0, words: '' });
  });
});

// A connection that the kernel had completed but the process had not accepted when it stopped listening is reset:
// to its caller, as to one that is refused, nothing was answered and nothing was done.
const neverAccepted = ['ECONNREFUSED', 'ECONNRESET'];

test('a SIGTERM under load loses no accepted request', async () => {
  await using stage = await setStage();
  await using api = startApiProcess({
    DATABASE_URL: stage.databaseUrl,
    ELASTICSEARCH_URL: stage.elasticsearchUrl,
    INDEX_PREFIX: stage.indexPrefix,
    DRAIN_TIMEOUT: '2m',
  });
  const url = await api.url;
  const headers = { authorization: `Bearer ${await stage.createKey()}` };
  const statuses: number[] = [];
  const warm = Promise.withResolvers<void>();

  /** Calls until connections are refused; any other failure is a lost request. */
  async function callOn(): Promise<string> {
    for (;;) {
      try {
        const response = await fetch(`${url}/api/v1/search?type=all&query=quartz`, { headers });
        await response.arrayBuffer();
        statuses.push(response.status);
        if (statuses.length === 40) warm.resolve();
      } catch (error) {
        const cause = error instanceof Error ? error.cause : error;
        return cause instanceof Error && 'code' in cause ? String(cause.code) : String(error);
      }
    }
  }

  const callers = Array.from({ length: 8 }, callOn);
  await warm.promise;
  api.child.kill('SIGTERM');
  for (const ending of await Promise.all(callers)) expect(neverAccepted).toContain(ending);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await api.ended).code).toBe(0);
  expect(api.log).toContainEqual(expect.objectContaining({ msg: 'stopped', cut: 0 }));
});
