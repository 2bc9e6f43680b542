import fc from 'fast-check';
import { createTestAccount } from '../../../dev/lib/api-accounts.ts';
import { prompts } from '../../../src/http/mcp/prompts.ts';
import { tools } from '../../../src/http/mcp/tools/tools.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import type { Json } from '../../../src/lib/wire-schema.ts';
import { bulkKinds } from '../../../src/records/bulk-request.ts';
import { type ApiProcess, startApiProcess } from '../../support/api/process.ts';
import { clientNames, connectClient, type McpClient } from '../../support/mcp/clients.ts';
import { type FeaturesStage, setSampleStage } from '../../support/stages/features.ts';
import { until } from '../../support/until.ts';

// The API as a process of its own on the fictional sample, asked by published MCP clients.

let stage: FeaturesStage;
let api: ApiProcess;
let url: string;
let key: string;

beforeAll(async () => {
  stage = await setSampleStage();
  const { connectionString = '' } = stage.pool.options;
  api = startApiProcess({
    DATABASE_URL: connectionString,
    ELASTICSEARCH_URL: stage.indices.url,
    INDEX_PREFIX: stage.indices.prefix,
  });
  url = await api.url;
  ({ key } = await createTestAccount(stage.pool, 'mcp', null));
}, 120_000);
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

describe.each(clientNames)('%s', (name) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connectClient(name, url, key);
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test('lists every tool, and each answers as its output schema says', async () => {
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
      expect(answer.content[0]?.text).toMatch(/\w/);
    }
    expect(answers.get_entity.structuredContent).toMatchObject({ id: first?.id, name: 'Plover Spire' });
    expect(answers.lookup_entities.content[0]?.text).toMatch(/: 1 found\.\n1\. Plover Spire /);
  });

  test('reads the errors of a call as its result', async () => {
    const none = await client.call('get_entity', { kind: 'companies', identifier: 'nobody-has-this' });
    expect(none).toMatchObject({ isError: true, structuredContent: { code: 'not_found' } });
    const wrong = await client.call('search_entities', { kind: 'company', limit: 0 });
    expect(wrong.content[0]?.text).toMatch(
      /"kind": must be one of .*"limit": must be .*code invalid_parameter, request /,
    );
  });

  test('reads resources, completes their addresses, and gets prompts', async () => {
    const record = JSON.parse(await client.read('entity://companies/plover-spire')) as Json;
    expect(record).toMatchObject({ name: 'Plover Spire', slug: 'plover-spire' });
    expect(Object.values(record)).not.toContain(null);
    await expect(client.read('entity://companies/nobody-has-this')).rejects.toThrow(/None of the companies/);
    expect(await client.complete({ name: 'kind', value: '' })).toEqual(kindNames);
    expect(await client.complete({ name: 'slug', value: 'plover' }, 'companies')).toContain('plover-spire');
    expect(await client.prompts()).toEqual(prompts.map((prompt) => prompt.name));
    expect(await client.prompt('map_ecosystem', { ecosystem: 'ochre' })).toMatch(/ecosystem: "ochre"/);
  });

  test('without a key, lists are free and calls say how to get one', async () => {
    await using stranger = await connectClient(name, url, null);
    expect(await stranger.tools()).toHaveLength(tools.length);
    const refused = await stranger.call('get_entity', { kind: 'companies', identifier: 1 });
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'invalid_api_key' } });
    expect(refused.content[0]?.text).toMatch(/Authorization: Bearer/);
  });

  test('with a wrong key, it does not connect', async () => {
    await expect(connectClient(name, url, 'es_test_nonsense')).rejects.toThrow();
  });
});

describe('A call of a tool', () => {
  test('gives the same, and costs the same, as the same request by HTTP', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const [byHttp, byTool] = [await askByHttp(asked), await askByTool(asked)];
        expect(byTool).toEqual(byHttp);
      }),
      { numRuns: 150, endOnFailure: true },
    );
  });

  test('is counted for the account as that request', async () => {
    const counted = async () => {
      const { rows } = await stage.pool.query<{ endpoint: string; outcome: string; calls: number }>(
        `select endpoint, outcome, sum(calls)::int as calls from account_calls c join accounts a on a.id = c.account_id
         where a.name = 'twice' and endpoint <> 'usage' group by 1, 2 order by 1, 2`,
      );
      return rows;
    };
    const account = await createTestAccount(stage.pool, 'twice', null);
    const requests = fc.sample(request, { numRuns: 40, seed: 1 });
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

  test('is refused by the same limits, and says when to come back', async () => {
    const { key: poor } = await createTestAccount(stage.pool, 'poor', 2);
    await using client = await connectClient('sdk 1.x', url, poor);
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
    // Neither lists nor a read that was refused cost anything.
    await expect(client.read('entity://companies/1')).rejects.toThrow(/rate_limited/);
    expect(await client.tools()).toHaveLength(tools.length);
    expect(await usedBy(poor)).toBe(2);
  });
});

/** A call of a tool, and the same by HTTP. */
interface Asked {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly body?: object;
}

const kind = fc.constantFrom(...kindNames);
const text = fc.constantFrom('', 'plover', 'Plvoer Spire', 'exchange', 'startups in Sydney', 'a, b\\', 'x'.repeat(300));
const slug = fc.constantFrom('plover-spire', 'nobody', 'a b');
// Mostly those of the sample.
const id = fc.oneof({ arbitrary: fc.integer({ min: 1_000_000, max: 1_000_900 }), weight: 5 }, fc.constantFrom(0, 7));
const identifier = fc.oneof(id, slug);
const limit = fc.oneof({ arbitrary: fc.constantFrom(1, 2, 5), weight: 5 }, fc.constantFrom(0, 1_000));

/** What only some kinds have, or is wrong. */
const rareOptions = fc.constantFrom(
  { founded_from: 2015 },
  { online: true },
  { sort: 'nothing' },
  { cursor: 'nonsense' },
  { page: 9_999 },
  { collapse: 'series' },
);
const search = fc
  .record(
    {
      kind: fc.constantFrom(...kindNames, 'all', 'none'),
      query: text,
      limit,
      page: fc.constantFrom(1, 2),
      country: fc.subarray(['Australia', 'Japan', 'No, such'], { minLength: 1 }),
      sort: fc.constantFrom('name', '-newest'),
      facets: fc.subarray(['country', 'city'], { minLength: 1 }),
      literal: fc.boolean(),
    },
    { requiredKeys: ['kind', 'limit'] },
  )
  .chain((args) =>
    fc.oneof(
      { arbitrary: fc.constant(args), weight: 4 },
      rareOptions.map((rare) => ({ ...args, ...rare })),
    ),
  )
  .map((args): Asked => {
    const { kind: type, ...rest } = args;
    return { tool: 'search_entities', args, path: `/api/v1/search?${queryOf({ type, ...rest })}` };
  });
const get = fc.record({ kind, identifier }).map(
  (args): Asked => ({
    tool: 'get_entity',
    args,
    path: `/api/v1/${args.kind}/${encodeURIComponent(args.identifier)}`,
  }),
);
const similar = fc.record({ kind, identifier, limit }).map(
  (args): Asked => ({
    tool: 'find_similar',
    args,
    path: `/api/v1/${args.kind}/${encodeURIComponent(args.identifier)}/similar?limit=${args.limit}`,
  }),
);
const suggest = fc.record({ query: text, kind, limit }).map(
  (args): Asked => ({
    tool: 'suggest_names',
    args,
    path: `/api/v1/suggest?${queryOf({ q: args.query, type: args.kind, limit: args.limit })}`,
  }),
);
const lookup = fc
  .record({
    operation: fc.constantFrom('get', 'exists'),
    kind: fc.constantFrom(...bulkKinds),
    identifiers: fc.oneof(fc.array(id, { maxLength: 25 }), fc.array(slug, { maxLength: 12 }), fc.array(identifier)),
  })
  .map((args): Asked => {
    const { kind: entity_type, ...rest } = args;
    // The route would answer with whole records.
    const fields = args.operation === 'get' ? { fields: kinds[entity_type].itemFields } : {};
    return { tool: 'lookup_entities', args, path: '/api/v1/bulk', body: { entity_type, ...fields, ...rest } };
  });
const request = fc.oneof(search, get, similar, suggest, lookup);

/** Lists as a caller of the HTTP routes writes them. */
function queryOf(given: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (!Array.isArray(value)) query.append(name, String(value));
    else for (const item of value) query.append(name, String(item).replaceAll(',', '\\,'));
  }
  return query.toString();
}

/** What came of a request: what was charged, and its data or the code of its error. */
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

/** What answers of both kinds have, wherever they have it. */
function foundIn(tool: string, data: Json): unknown {
  if (tool === 'get_entity') return data;
  if (tool === 'suggest_names') return data.suggestions;
  if (tool === 'lookup_entities')
    return Array.isArray(data.results) ? data.results : Object.values(data.results ?? {})[0];
  const { results, totalResults, matchedBy, facets, understood, of } = data;
  return { results, totalResults, matchedBy, facets, understood, of };
}

/** Without nulls, without what is empty, and without pictures. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, plain(inner)] as const);
  const isSaid = (inner: unknown) => ![undefined, null, '', '[]', '{}'].includes(said(inner));
  return Object.fromEntries(entries.filter(([name, inner]) => name !== 'logo' && isSaid(inner)));
}

function said(value: unknown): string | null | undefined {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function usedBy(as: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${as}` } });
  const { data } = (await response.json()) as { readonly data: { readonly used: { readonly this_month: number } } };
  return data.used.this_month;
}

function resultsOf(data: Json | undefined): readonly Json[] {
  return Array.isArray(data?.results) ? data.results : [];
}
