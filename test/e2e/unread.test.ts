import { setTimeout as delay } from 'node:timers/promises';
import { realClock } from '../support/api/in-process.ts';
import { startApiProcess } from '../support/api/process.ts';
import { forgetPeak, freshHealth, memoryOf, silentClients } from '../support/api/silent-clients.ts';
import { forFile } from '../support/for-file.ts';
import { payTo } from '../support/payments/payers.ts';
import { setStage } from '../support/stages/api.ts';

// Many connections without a key that send requests and do not read: their memory, and their effect on others. For the
// figures of docs/security.md: UNREAD_CONNECTIONS=2000 npm run jest -- --testPathPatterns e2e/unread

const connections = Number(process.env.UNREAD_CONNECTIONS ?? 200);
const watchMs = connections > 200 ? 4_000 : 1_000;
const document = '/openapi.json';

const stage = await forFile(setStage());
const api = await forFile(
  startApiProcess(
    {
      DATABASE_URL: stage.databaseUrl,
      ELASTICSEARCH_URL: stage.elasticsearchUrl,
      INDEX_PREFIX: stage.indexPrefix,
      // No search is paid here, so neither is used.
      X402_PAY_TO: payTo,
      X402_RPC_URL: 'http://127.0.0.1:1',
      X402_FACILITATOR_URL: 'http://127.0.0.1:1',
    },
    { checked: false },
  ),
);
const port = Number(new URL(await api.url).port);

function requestOf(path: string, coding: string, more = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${coding}\r\n${more}\r\n`;
}

test.each([
  ['the OpenAPI document, a byte per second', requestOf(document, 'br'), true],
  ['the OpenAPI document, sixty times each', requestOf(document, 'identity').repeat(60), false],
  ['detailed health', requestOf('/api/health?detailed=true', 'br').repeat(10), false],
  ['a 402, a thousand times each', requestOf('/api/v1/x402/search', 'identity').repeat(1_000), false],
  ['an answer to Expect, a thousand times each', requestOf('/nowhere', 'br', 'Expect: tea\r\n').repeat(1_000), false],
])('clients that do not read (%s) leave memory bounded and health responsive', async (what, request, dripping) => {
  await freshHealth(port);
  forgetPeak(api.child.pid);
  const before = memoryOf(api.child.pid).now;
  const healthMs: number[] = [];
  await using _clients = await silentClients({ port, connections, request, dripping });
  const startedMs = realClock.elapsed();
  while (realClock.elapsed() - startedMs < watchMs) {
    const { status, ms } = await freshHealth(port);
    expect(status).toBe(200);
    healthMs.push(ms);
    await delay(100);
  }
  const more = memoryOf(api.child.pid).most - before;
  const longest = Math.round(Math.max(...healthMs));
  process.stderr.write(
    `${connections} × ${what}: ${before} MB before, ${more} MB more; health ${longest} ms at most\n`,
  );
  expect(more).toBeLessThan(100);
});
