import fc from 'fast-check';
import { createTestAccount } from '../../../dev/lib/api-accounts.ts';
import { tools } from '../../../src/http/mcp/tools/tools.ts';
import type { Json } from '../../../src/lib/wire-schema.ts';
import { startConnectedApi } from '../../support/api/connected.ts';
import { forFile } from '../../support/for-file.ts';
import { type Asked, askedTwice, foundIn, plain } from '../../support/mcp/asked-twice.ts';
import { clientNames, connectClient, type McpClient } from '../../support/mcp/clients.ts';
import { setSampleStage } from '../../support/stages/features.ts';
import { until } from '../../support/until.ts';

// The API as a process of its own on the fictional sample, asked by published MCP clients.

const stage = await forFile(setSampleStage());
const { url } = await forFile(startConnectedApi(stage.env));
const { key } = await createTestAccount(stage.pool, 'mcp', null);

describe.each(clientNames)('%s', (name) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connectClient(name, url, { key });
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test('lists every tool, each with answers that match its output schema', async () => {
    expect(await client.tools()).toEqual(tools.map((tool) => tool.name));
    const found = await client.call('search_entities', {
      kind: 'companies',
      query: 'Plvoer Spire',
      facets: ['country', 'tag'],
    });
    const [first] = resultsOf(found.structuredContent);
    expect(first).toMatchObject({ entity_type: 'companies', name: 'Plover Spire', slug: 'plover-spire' });
    const one = { kind: 'companies', identifier: 'plover-spire' };
    const answers = {
      get_entity: await client.call('get_entity', one),
      find_similar: await client.call('find_similar', { ...one, limit: 3 }),
      lookup_entities: await client.call('lookup_entities', { kind: 'companies', identifiers: ['plover-spire', 'no'] }),
      suggest_names: await client.call('suggest_names', { query: 'plov' }),
      question: await client.call('search_entities', { query: 'exchanges in Sydney founded after 2015' }),
      people: await client.call('search_entities', { kind: 'people', fields: ['name', 'roles', 'links'], limit: 50 }),
      events: await client.call('search_entities', { kind: 'events', collapse: 'series', limit: 50 }),
      exists: await client.call('lookup_entities', { operation: 'exists', kind: 'investors', identifiers: ['no'] }),
    };
    for (const answer of Object.values(answers)) {
      expect(answer.isError).toBeFalsy();
      expect(JSON.parse(answer.content[0]?.text ?? '')).toEqual(answer.structuredContent);
    }
    expect(answers.get_entity.structuredContent).toMatchObject({ id: first?.id, name: 'Plover Spire' });
    expect(resultsOf(answers.lookup_entities.structuredContent)).toMatchObject([{ name: 'Plover Spire' }]);
  });

  test('reads errors of a call as its result', async () => {
    const none = await client.call('get_entity', { kind: 'companies', identifier: 'nobody-has-this' });
    expect(none).toMatchObject({ isError: true, structuredContent: { code: 'not_found' } });
    const wrong = await client.call('search_entities', { kind: 'company', limit: 0 });
    expect(wrong.content[0]?.text).toMatch(
      /"kind": must be one of .*"limit": must be .*code invalid_parameter, request /,
    );
  });

  test('without a key, lists tools, and calls explain how to get one', async () => {
    await using stranger = await connectClient(name, url);
    expect(await stranger.tools()).toHaveLength(tools.length);
    const refused = await stranger.call('get_entity', { kind: 'companies', identifier: 1 });
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'invalid_api_key' } });
    expect(refused.content[0]?.text).toMatch(/Authorization: Bearer/);
  });

  test('with an invalid key, does not connect', async () => {
    await expect(connectClient(name, url, { key: 'es_test_nonsense' })).rejects.toThrow();
  });
});

describe('A tool call', () => {
  test('returns and costs the same as the HTTP request', async () => {
    await fc.assert(
      fc.asyncProperty(askedTwice, async (asked) => {
        const [byHttp, byTool] = [await askByHttp(asked), await askByTool(asked)];
        expect(byTool).toEqual(byHttp);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test('is counted for the account as the HTTP request', async () => {
    const counted = async () => {
      const { rows } = await stage.pool.query<{ endpoint: string; outcome: string; calls: number }>(
        `select endpoint, outcome, sum(calls)::int as calls from account_calls c join accounts a on a.id = c.account_id
         where a.name = 'twice' and endpoint <> 'usage' group by 1, 2 order by 1, 2`,
      );
      return rows;
    };
    const account = await createTestAccount(stage.pool, 'twice', null);
    const requests = fc.sample(askedTwice, { numRuns: 20, seed: 1 });
    for (const asked of requests) {
      await askByHttp(asked, account.key);
      await askByTool(asked, account.key);
    }
    const sum = (rows: readonly { readonly calls: number }[]) => rows.reduce((all, { calls }) => all + calls, 0);
    const used = await usedBy(account.key);
    await until(async () => sum(await counted()) === used, 'all calls to be counted');
    const rows = await counted();
    expect(new Set(rows.map(({ endpoint }) => endpoint))).toEqual(
      new Set(['search', 'records', 'similar', 'bulk', 'suggest']),
    );
    for (const row of rows) expect({ ...row, odd: row.calls % 2 }).toMatchObject({ odd: 0 });
  });

  test('continues at a cursor, with every result once', async () => {
    await using client = await connectClient('sdk 1.x', url, { key });
    const args = { kind: 'investors', limit: 40, fields: ['name'] };
    const ids: unknown[] = [];
    let total: unknown;
    for (let cursor: unknown; ; ) {
      const { structuredContent = {} } = await client.call('search_entities', { ...args, cursor });
      ids.push(...resultsOf(structuredContent).map(({ id: each }) => each));
      total = structuredContent.totalResults;
      cursor = structuredContent.nextCursor;
      if (cursor === undefined) break;
    }
    expect(ids.length).toBeGreaterThan(40);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(Number(total));
  });

  test('is refused by the same limits, with the time until the next attempt', async () => {
    const { key: poor } = await createTestAccount(stage.pool, 'poor', 2);
    await using client = await connectClient('sdk 1.x', url, { key: poor });
    await client.call('suggest_names', { query: 'a' });
    expect((await fetch(`${url}/api/v1/suggest?q=a`, { headers: { authorization: `Bearer ${poor}` } })).status).toBe(
      200,
    );
    const refused = await client.call('lookup_entities', { kind: 'companies', identifiers: [1] });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { code: 'rate_limited', retryAfterSeconds: expect.any(Number) },
    });
    expect(refused.content[0]?.text).toMatch(/retry after \d+ s, request /);
    // Lists and refused calls cost nothing.
    expect(await client.tools()).toHaveLength(tools.length);
    expect(await usedBy(poor)).toBe(2);
  });
});

/** The result of a request: the charge, and the data or the code of the error. */
interface Outcome {
  readonly cost: string | null;
  readonly code: unknown;
  readonly found: unknown;
}

async function askByHttp({ tool, path, body }: Asked, as = key): Promise<Outcome> {
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, init);
  const answer = (await response.json()) as { readonly data?: Json; readonly code?: string };
  const { data = {}, code } = answer;
  return { cost: response.headers.get('x-request-cost'), code, found: plain(foundIn(tool, data)) };
}

async function askByTool({ tool, args }: Asked, as = key): Promise<Outcome> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
  });
  const { result } = (await response.json()) as { readonly result: { readonly structuredContent: Json } };
  const { code, ...data } = result.structuredContent;
  const found = code === undefined ? foundIn(tool, data) : foundIn(tool, {});
  return { cost: response.headers.get('x-request-cost'), code, found: plain(found) };
}

async function usedBy(as: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${as}` } });
  const { data } = (await response.json()) as { readonly data: { readonly used: { readonly this_month: number } } };
  return data.used.this_month;
}

function resultsOf(data: Json | undefined): readonly Json[] {
  return Array.isArray(data?.results) ? data.results : [];
}
