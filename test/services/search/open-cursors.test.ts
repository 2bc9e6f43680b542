import { setTimeout as delay } from 'node:timers/promises';
import { merged } from '../../../dev/lib/limits.ts';
import { startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { readConfig } from '../../../src/config/api.ts';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { createSearchPort } from '../../../src/elasticsearch/search-port.ts';
import type { Deps } from '../../../src/ports.ts';
import { type Api, type ErrorBody, livingKey, startApi } from '../../support/api/in-process.ts';
import { patientLimits } from '../../support/api/process.ts';
import { forFile } from '../../support/for-file.ts';
import { findWith, setFeaturesStage } from '../../support/stages/features.ts';
import { until } from '../../support/until.ts';

// Search contexts that cursors keep open, counted in a real Elasticsearch.

const openCursorsMax = 5;
const query = 'type=people&limit=10';

const stage = await forFile(
  setFeaturesStage({
    sql: `insert into people (id, name, slug) select n, 'Twin', 'twin-' || n from generate_series(1, 300) as n`,
  }),
);
const proxy = await forFile(startFaultProxy(stage.indices.url));

const secret = { CURSOR_SECRET: 'one for all processes here' };

/** An API whose way to Elasticsearch can be harmed; `search` is what it does there. */
function apiThrough(
  harm: (port: Deps['search']) => Partial<Deps['search']>,
  env: Readonly<Record<string, string>> = {},
  find?: () => number,
  max = openCursorsMax,
): Promise<Api> {
  const settings = { ...secret, INDEX_PREFIX: stage.indices.prefix, ...env };
  const { elasticsearch } = readConfig({
    ...settings,
    DATABASE_URL: 'postgres://a@b/c',
    ELASTICSEARCH_URL: proxy.url,
  });
  const port = createSearchPort(createElasticsearchClient(elasticsearch));
  const accountId = find;
  return startApi({
    searchPort: { ...port, ...harm(port) },
    env: settings,
    limits: merged(env.SEARCH_TIMEOUT === undefined ? patientLimits : {}, { search: { openCursorsMax: max } }),
    ...(accountId === undefined
      ? {}
      : { find: async () => ({ ok: true as const, key: { ...livingKey, accountId: accountId() } }) }),
  });
}

async function openContexts(): Promise<number> {
  const stats = await stage.indices.client.indices.stats({ index: `${stage.indices.prefix}*`, metric: 'search' });
  return stats._all.total?.search?.open_contexts ?? -1;
}

/** Waits until this many are open. */
async function expectOpen(expected: number): Promise<void> {
  await until(async () => (await openContexts()) === expected, `${expected} open contexts`);
}

const cursorPath = (cursor: string | null): string => `/api/v1/search?${query}&cursor=${cursor}`;

async function problem(response: Response): Promise<ErrorBody & { readonly status: number }> {
  return { status: response.status, ...((await response.json()) as ErrorBody) };
}

test('a first cursor whose search fails leaves nothing open, and frees its slot', async () => {
  const before = await openContexts();
  let failing = true;
  await using api = await apiThrough((port) => ({
    // The search is made to be one that Elasticsearch can't understand.
    search: (call) =>
      port.search(failing && isCursorPage(call.body) ? { ...call, body: { ...call.body, nonsense: 1 } } : call),
  }));
  const { nextCursor } = await findWith(api, query);
  for (let tries = 0; tries < openCursorsMax * 2; tries += 1) {
    expect((await api.keyed(cursorPath(nextCursor))).status).toBe(500);
    await expectOpen(before);
  }
  expect(api.closed).toHaveLength(openCursorsMax * 2);
  failing = false;
  expect((await findWith(api, `${query}&cursor=${nextCursor}`)).page).toBe(2);
});

test('a first cursor whose search is too slow leaves nothing open', async () => {
  const before = await openContexts();
  await using api = await apiThrough(
    (port) => ({
      async openPointInTime(call) {
        const opened = await port.openPointInTime(call);
        await proxy.set('hang');
        return opened;
      },
      async closePointInTime(call) {
        await proxy.set('pass');
        return port.closePointInTime(call);
      },
    }),
    { SEARCH_TIMEOUT: '2s' },
  );
  const { nextCursor } = await findWith(api, query);
  expect((await api.keyed(cursorPath(nextCursor))).status).toBe(500);
  await expectOpen(before);
});

test.each(['openPointInTime', 'search'] as const)('disconnecting during %s leaves nothing open', async (step) => {
  const before = await openContexts();
  const leaving = new AbortController();
  await using api = await apiThrough((port) => ({
    async openPointInTime(call) {
      if (step === 'openPointInTime') leaving.abort();
      return port.openPointInTime(call);
    },
    async search(call) {
      if (step === 'search' && isCursorPage(call.body)) leaving.abort();
      return port.search(call);
    },
  }));
  const { nextCursor } = await findWith(api, query);
  await expect(api.keyed(cursorPath(nextCursor), { signal: leaving.signal })).rejects.toThrow();
  await until(() => api.closed.length > 0, 'closing the point in time');
  await expectOpen(before);
});

test("200 replays of a first cursor at once open no more than an account's limit, and use none of another's", async () => {
  const before = await openContexts();
  let account = 1;
  await using api = await apiThrough(
    () => ({}),
    {},
    () => account,
  );
  const { nextCursor } = await findWith(api, query);
  const answers = await Promise.all(Array.from({ length: 200 }, () => api.keyed(cursorPath(nextCursor))));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(openCursorsMax);
  expect(refused).toHaveLength(200 - openCursorsMax);
  await expectOpen(before + openCursorsMax);
  const [one] = refused;
  // Five minutes that a cursor keeps, a minute for a search here, a minute until Elasticsearch has looked.
  expect(Number(one?.headers.get('retry-after'))).toBeGreaterThan(360);
  expect(one?.headers.get('x-request-cost')).toBe('0');
  expect(one && (await problem(one))).toMatchObject({ code: 'too_many_cursors', error: expect.stringContaining('5 ') });
  account = 2;
  expect((await api.keyed(cursorPath(nextCursor))).status).toBe(200);
  await expectOpen(before + openCursorsMax + 1);
  account = 1;
  // Page 1 needs no cursor; open cursors continue, and one that ends releases its slot.
  expect((await api.keyed(`/api/v1/search?${query}`)).status).toBe(200);
  const [open] = answers.filter(({ status }) => status === 200);
  if (open === undefined) throw new Error('no cursor was opened');
  let next = ((await open.json()) as { readonly data: { readonly nextCursor: string | null } }).data.nextCursor;
  while (next !== null) next = (await findWith(api, `${query}&cursor=${next}`)).nextCursor;
  await expectOpen(before + openCursorsMax);
  expect((await api.keyed(cursorPath(nextCursor))).status).toBe(200);
  expect((await api.keyed(cursorPath(nextCursor))).status).toBe(429);
});

test('100 callers who disconnect at any moment lock out no account, and leave only used contexts open', async () => {
  const before = await openContexts();
  let begun = 0;
  let opened = 0;
  const counted = (port: Deps['search']): Partial<Deps['search']> => ({
    async openPointInTime(call) {
      begun += 1;
      const outcome = await port.openPointInTime(call);
      opened += 1;
      return outcome;
    },
  });
  await using api = await apiThrough(counted, {}, undefined, 100);
  const { nextCursor } = await findWith(api, query);
  let answered = 0;
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const leaving = AbortSignal.timeout(1 + at * at);
        try {
          await (await api.keyed(cursorPath(nextCursor), { signal: leaving })).text();
          answered += 1;
        } catch (error) {
          if (!leaving.aborted) throw error;
        }
      }),
    );
  }
  // Cut connections are settled once nothing is in progress: the last close follows the last open.
  const state = async () =>
    `${begun} begun, ${opened} opened, ${api.closed.length} closed, ${(await openContexts()) - before} open`;
  let [last, now] = ['', await state()];
  await until(async () => {
    await delay(1_000);
    [last, now] = [now, await state()];
    return last === now && begun === opened;
  }, 'rest after the last close');
  // An answer that left the process in full counts as sent, read or not.
  const sent = api.log.filter(({ msg, status }) => msg === 'request' && status === 200).length - 1;
  const open = opened - api.closed.length;
  await expectOpen(before + open);
  process.stderr.write(`cut: of 100 callers ${answered} read an answer, ${sent} were sent one, ${open} are open\n`);
  expect(open).toBeLessThanOrEqual(sent);
  expect(open).toBeGreaterThanOrEqual(answered);
  // Places are those of what is open: there is room for the rest, and for no more.
  const statuses: number[] = [];
  for (let at = 0; at <= 100 - open; at += 1) statuses.push((await api.keyed(cursorPath(nextCursor))).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(100 - open);
  expect(statuses.at(-1)).toBe(429);
});

test('another process continues cursors up to the same limit, so n processes hold n times as many', async () => {
  const before = await openContexts();
  await using one = await apiThrough(() => ({}));
  await using other = await apiThrough(() => ({}));
  const { nextCursor } = await findWith(one, query);
  const cursors: (string | null)[] = [];
  for (const api of [one, other]) {
    for (let at = 0; at < openCursorsMax; at += 1) {
      cursors.push((await findWith(api, `${query}&cursor=${nextCursor}`)).nextCursor);
    }
  }
  // At its own limit, the second process takes over none of the first's cursors, and continues its own.
  expect((await other.keyed(cursorPath(cursors[0] ?? null))).status).toBe(429);
  expect((await one.keyed(cursorPath(cursors[0] ?? null))).status).toBe(200);
  expect((await other.keyed(cursorPath(cursors.at(-1) ?? null))).status).toBe(200);
  await expectOpen(before + 2 * openCursorsMax);
});

test('an opening without an answer in time counts as open, and a refused one does not', async () => {
  let reason: 'timeout' | 'refused' = 'refused';
  await using api = await apiThrough(() => ({
    openPointInTime: async () => ({ ok: false, reason, cause: new Error('as the test wants it') }),
  }));
  const { nextCursor } = await findWith(api, query);
  const statuses = async (): Promise<readonly number[]> => {
    const answers: number[] = [];
    for (let at = 0; at <= openCursorsMax; at += 1) answers.push((await api.keyed(cursorPath(nextCursor))).status);
    return answers;
  };
  expect(new Set(await statuses())).toEqual(new Set([500]));
  reason = 'timeout';
  expect(await statuses()).toEqual([...Array.from({ length: openCursorsMax }, () => 500), 429]);
});

function isCursorPage(body: object): boolean {
  return 'pit' in body;
}
