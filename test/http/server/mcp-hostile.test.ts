import { request as httpRequest } from 'node:http';
import { type Api, elasticsearchAnswer, startApi } from '../../support/api/in-process.ts';
import { forFile } from '../../support/for-file.ts';
import { until } from '../../support/until.ts';

// Messages that no MCP client sends, but an attacker will.

type Sent = Readonly<Record<string, unknown>> | readonly unknown[] | string;

const json = { 'content-type': 'application/json' };

async function send(api: Api, body: Sent, headers: Readonly<Record<string, string>> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await api.keyed('/mcp', { method: 'POST', body: text, headers: { ...json, ...headers } });
  const answer = await response.text();
  return { status: response.status, answer: answer === '' ? null : (JSON.parse(answer) as unknown), response };
}

const call = (args: unknown, name = 'search_entities') => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const ping = { jsonrpc: '2.0', id: 'ping', method: 'ping' };
const rpc = (code: number, id: unknown = null) => ({ jsonrpc: '2.0', id, error: expect.objectContaining({ code }) });
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const deepObject = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`;

const api = await forFile(startApi({ env: { CORS_ORIGINS: 'https://app.example' } }));

describe('An invalid message', () => {
  test.each<[string, Sent, number, object]>([
    ['half a JSON', '{"jsonrpc":', 400, rpc(-32_700)],
    ['a key __proto__', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}', 400, rpc(-32_700)],
    ['nothing', '', 400, rpc(-32_600)],
    ['null', 'null', 400, rpc(-32_600)],
    ['a batch', [ping, ping], 400, rpc(-32_600)],
    ['25,000 values', { ...ping, params: { list: Array(25_000).fill(1) } }, 400, rpc(-32_600)],
    ['an empty batch', [], 400, rpc(-32_600)],
    ['100,000 nested lists', deep(100_000), 400, rpc(-32_600)],
    ['a result with a deeply nested error', `{"jsonrpc":"2.0","id":1,"error":${deepObject}}`, 400, rpc(-32_600)],
    ['deeply nested capabilities', `{"jsonrpc":"2.0","params":{"capabilities":${deepObject}}}`, 400, rpc(-32_600)],
    ['a deeply nested payment', `{"params":{"_meta":{"x402/payment":${deep(60_000)}}}}`, 400, rpc(-32_600)],
    ['an object that is not a message', {}, 400, rpc(-32_600)],
    ['another version of JSON-RPC', { ...ping, jsonrpc: '1.0' }, 400, rpc(-32_600, 'ping')],
    ['an id that is an object', { ...ping, id: {} }, 400, rpc(-32_600)],
    ['parameters that are a list', { ...ping, params: [] }, 400, rpc(-32_600, 'ping')],
    ['an unknown method', { ...ping, method: 'nothing/here' }, 200, rpc(-32_601, 'ping')],
    ['a list of prompts', { ...ping, method: 'prompts/list' }, 200, rpc(-32_601, 'ping')],
    ['a subscription', { ...ping, method: 'subscriptions/listen', params: {} }, 404, rpc(-32_601, 'ping')],
    ['an unknown tool', call({}, '__proto__'), 200, rpc(-32_602, 1)],
    ['arguments that are a list', call([1]), 200, rpc(-32_602, 1)],
    ['a call without parameters', { jsonrpc: '2.0', id: 1, method: 'tools/call' }, 200, rpc(-32_602, 1)],
    ['a field that no message has', { ...ping, extra: 1 }, 400, rpc(-32_600, 'ping')],
    ['an id that is not an integer', { ...ping, id: 1.5 }, 400, rpc(-32_600)],
  ])('%s: a protocol error that is not charged', async (_title, body, status, answer) => {
    const sent = await send(api, body);
    expect(sent).toMatchObject({ status, answer });
    expect(sent.response.headers.get('x-request-cost')).toBe('0');
  });

  test.each<[string, unknown, RegExp]>([
    ['initialize', undefined, /"params": .*undefined/],
    ['tools/list', { cursor: 1 }, /"params.cursor": .*expected string/],
    ['tools/call', { name: 1, arguments: 'x' }, /"params.name": .*"params.arguments": /],
  ])('wrong parameters of %s are named, and do not count as server failures', async (method, params, sentence) => {
    const message = expect.stringMatching(sentence);
    const { status, answer, response } = await send(api, { jsonrpc: '2.0', id: 1, method, params });
    expect({ status, answer }).toMatchObject({ status: 200, answer: { id: 1, error: { code: -32_602, message } } });
    expect(JSON.stringify(answer)).not.toContain('invalid_type');
    expect(response.headers.get('x-request-cost')).toBe('0');
  });

  test('6 MB is 413, a text is 415, GET and DELETE are 405', async () => {
    expect(await send(api, call({ query: 'x'.repeat(6_000_000) }))).toMatchObject({
      status: 413,
      answer: { code: 'body_too_large' },
    });
    expect((await send(api, ping, { 'content-type': 'text/plain' })).status).toBe(415);
    for (const method of ['GET', 'DELETE']) {
      const response = await api.keyed('/mcp', { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toMatch(/POST/);
    }
  });

  test('an unsupported protocol version is refused with the supported ones, and no session is needed', async () => {
    const refused = await send(api, ping, { 'mcp-protocol-version': '1999-01-01' });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.answer)).toMatch(/2025-11-25/);
    const stale = await send(api, ping, { 'mcp-session-id': 'of another server' });
    expect(stale).toMatchObject({ status: 200, answer: { id: 'ping', result: {} } });
  });
});

describe('Arguments', () => {
  test.each<[string, unknown, RegExp]>([
    ['an object', { query: { deep: 1 } }, /"query": must be a text/],
    ['60 nested lists', { query: deep(60) }, /"query": must be a text/],
    ['the parameter name of the route', { type: 'companies' }, /"type": is unknown: did you mean "kind"\?/],
    ['a name that resembles no other', { xyz: 1 }, /"xyz": is unknown, the arguments are kind, query/],
    ['a typo', { querry: 'a' }, /"querry": is unknown: did you mean "query"\?/],
    ['1,900 names', Object.fromEntries(Array.from({ length: 1_900 }, (_, at) => [`k${at}`, 1])), /Several .*"k9"/],
    ['a wrong kind and limit', { kind: 'x', limit: 1.5 }, /"kind": must be one of .*"limit": must be a whole number/],
  ])('%s: an error that names the argument and costs a call like a wrong parameter', async (_title, args, sentence) => {
    // Lists, which `deep` gives as a text.
    const body = JSON.stringify(call(args)).replace(/"(\[+\]+)"/, '$1');
    const { status, answer, response } = await send(api, body);
    expect({ status, answer }).toMatchObject({
      status: 200,
      answer: {
        result: {
          isError: true,
          content: [{ type: 'text', text: expect.stringMatching(sentence) }],
          structuredContent: { code: 'invalid_parameter', requestId: response.headers.get('x-request-id') },
        },
      },
    });
    expect(response.headers.get('x-request-cost')).toBe('1');
  });

  test('null and empty lists count as absent', async () => {
    const { answer } = await send(api, call({ query: null, tag: [], limit: null, fields: null }));
    expect(answer).toMatchObject({ result: { structuredContent: { totalResults: 0, results: [] } } });
  });
});

describe('Admission', () => {
  test.each([
    ['another site', 'https://evil.example', 403],
    ['a sandboxed page', 'null', 403],
    ['an allowed site', 'https://app.example', 200],
    ['no page', '', 200],
  ])('%s', async (_title, origin, status) => {
    const sent = await send(api, ping, origin === '' ? {} : { origin });
    expect(sent.status).toBe(status);
    if (status === 403) expect(sent.answer).toMatchObject({ code: 'foreign_origin' });
  });

  test('a page whose name was rebound to this server is refused, and a page of this machine is served', async () => {
    const asked = async (host: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      const headers = { ...json, host, origin: `http://${host}`, authorization: `Bearer ${api.key}` };
      const sending = httpRequest({ port: api.port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers });
      sending.on('error', reject).on('response', (response) => resolve(response.resume().statusCode));
      sending.end(JSON.stringify(ping));
      return promise;
    };
    expect(await asked(`evil.example:${api.port}`)).toBe(403);
    expect(await asked(`localhost:${api.port}`)).toBe(200);
  });

  test.each(['Bearer nonsense', 'Basic nonsense'])(
    '%s: 401 with WWW-Authenticate, even for listing tools',
    async (authorization) => {
      const { status, answer, response } = await send(api, { ...ping, method: 'tools/list' }, { authorization });
      expect({ status, answer }).toMatchObject({ status: 401, answer: { code: 'invalid_api_key' } });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    },
  );
});

describe('Load', () => {
  test('a client that disconnects ends its search and frees its slot', async () => {
    const signals: AbortSignal[] = [];
    await using busy = await startApi({
      limits: { load: { searchesMax: 1 } },
      search: async ({ signal }) => {
        if (signals.length > 0) return { ok: true, body: elasticsearchAnswer([]) };
        if (signal !== undefined) signals.push(signal);
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        return { ok: false, reason: 'timeout', cause: new Error('aborted') };
      },
    });
    const leaving = new AbortController();
    const body = JSON.stringify(call({ query: 'slow' }));
    const asked = busy.keyed('/mcp', { method: 'POST', headers: json, body, signal: leaving.signal });
    await until(() => signals.length === 1, 'the search to begin');
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await until(() => signals[0]?.aborted === true, 'the search to end');
    expect((await send(busy, call({ query: 'next' }))).answer).toMatchObject({
      result: { content: expect.anything() },
    });
    const lines = () => busy.log.filter(({ aborted, tool }) => aborted === true && tool === 'search_entities');
    await until(() => lines().length > 0, 'its line');
    expect(lines()[0]).not.toHaveProperty('status');
    expect(busy.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
