import { randomBytes } from 'node:crypto';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import { startConnectedApi } from '../../support/api/connected.ts';
import { at, keysOf, published } from '../../support/api/published.ts';
import { forFile } from '../../support/for-file.ts';
import { setSampleStage } from '../../support/stages/features.ts';

// The document's examples run on the real engines with the sample. The process logs every answer that contradicts the
// document, and the test fails when the process is stopped.

const stage = await forFile(setSampleStage());
const key = generateApiKey('test', randomBytes);
await stage.pool.query(
  `with account as (insert into accounts (name, plan) values ('Tests', 'scale') returning id)
   insert into api_keys (account_id, name, prefix, hash) select id, $1, $1, $2 from account`,
  [apiKeyPrefix(key), hashApiKey(key)],
);
const api = await forFile(startConnectedApi({ ...stage.env, LOG_LEVEL: 'info' }));
const { url } = api;

interface Try {
  readonly title: string;
  readonly path: string;
  readonly body?: string;
  readonly status: number;
}

/** Nothing is sold here, because the tests of payments check the answers of the paid search. */
const withoutSale: Readonly<Record<string, number>> = { '/api/v1/x402/search': 404, '/.well-known/x402': 404 };

/** The request of an operation that gives every parameter the document's example. */
function exampleOf(template: string, method: string): readonly Try[] {
  const operation = at(published(), 'paths', template, method);
  const query = new URLSearchParams();
  let path = template.replace('{file}', 'start.js');
  for (const parameter of Object.values(at(operation, 'parameters') ?? {})) {
    const example = at(parameter, 'example');
    if (example === undefined) continue;
    if (at(parameter, 'in') === 'path') path = path.replace(`{${at(parameter, 'name')}}`, String(example));
    if (at(parameter, 'in') === 'query') query.append(String(at(parameter, 'name')), String(example));
  }
  const status = withoutSale[template] ?? 200;
  const address = query.size === 0 ? path : `${path}?${query}`;
  if (method === 'get') return [{ title: address, path: address, status }];
  const examples = at(operation, 'requestBody', 'content', 'application/json', 'examples');
  return keysOf(examples).map((name) => ({
    title: `${address} ${name}`,
    path: address,
    body: JSON.stringify(at(examples, name, 'value')),
    status,
  }));
}

const tries = keysOf(published().paths).flatMap((template) =>
  keysOf(at(published(), 'paths', template)).flatMap((method) => exampleOf(template, method)),
);

test.each(tries)('the example "$title" of the document gets the documented answer', async ({ path, body, status }) => {
  const authorization = { authorization: `Bearer ${key}` };
  const init =
    body === undefined
      ? { headers: authorization }
      : { method: 'POST', body, headers: { ...authorization, 'content-type': 'application/json' } };
  const response = await fetch(`${url}${path}`, init);
  expect({ path, status: response.status, body: await response.text() }).toMatchObject({ path, status });
});

test('the example search finds the entities of its example answer', async () => {
  const address = '/api/v1/search?type=companies&query=plover+spire&limit=5';
  const response = await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${key}` } });
  const body: unknown = await response.json();
  const answer = ['paths', '/api/v1/search', 'get', 'responses', '200', 'content', 'application/json'];
  const shown = at(published(), ...answer, 'examples', 'found', 'value', 'data');
  const ids = Object.values(at(body, 'data', 'results') ?? {}).map((result) => at(result, 'id'));
  expect(ids).toContain(at(shown, 'results', '0', 'id'));
});
