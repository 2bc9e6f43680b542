import {
  checkEndpointSchema,
  discoverOriginSchema,
  getOpenAPI,
  getWarningsForOpenAPI,
  validatePaymentRequiredDetailed,
} from '@agentcash/discovery';
import { z } from 'zod';
import { terms } from '../../../dev/explore/payments/scenario.ts';
import { paymentRequired } from '../../../src/payments/protocol/terms.ts';
import { startApi } from '../../support/api/in-process.ts';
import { serverDescription, serverJsonRules } from '../../support/mcp/registry-rules.ts';

// Catalogues that find the service by themselves: registries of MCP servers and of x402 resources.

const publicUrl = 'https://api.example.com';

const catalogueSchema = z.looseObject({ entries: z.array(z.looseObject({ url: z.url() })) });
const initializedSchema = z.object({ result: z.looseObject({ serverInfo: z.looseObject({}) }) });

test.each(['/.well-known/mcp', '/.well-known/mcp/catalog.json', '/mcp/server-card'])(
  '%s is kept for others only where the address is configured',
  async (path) => {
    await using unnamed = await startApi();
    expect((await fetch(unnamed.url + path)).headers.get('cache-control')).toBe('private, max-age=3600');
    await using named = await startApi({ env: { PUBLIC_URL: publicUrl } });
    expect((await fetch(named.url + path)).headers.get('cache-control')).toBe('public, max-age=3600');
  },
);

test('/.well-known/mcp is as the MCP registry wants a server.json', async () => {
  await using api = await startApi({ env: { PUBLIC_URL: publicUrl } });
  const response = await fetch(`${api.url}/.well-known/mcp`);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const document = serverJsonRules.parse(await response.json());
  expect(document).toMatchObject({ name: 'com.example.api/entity-search', title: 'Entity Search' });
  expect(document.remotes).toMatchObject([{ type: 'streamable-http', url: `${publicUrl}/mcp` }]);
});

test('the catalogue leads to the card, and the card to the server, which describes itself alike', async () => {
  await using api = await startApi();
  const catalogue = catalogueSchema.parse(await (await fetch(`${api.url}/.well-known/mcp/catalog.json`)).json());
  expect(catalogue).toEqual({
    specVersion: 'draft',
    entries: [
      {
        identifier: 'urn:air:127.0.0.1:entity-search',
        displayName: 'Entity Search',
        type: 'application/mcp-server-card+json',
        url: `${api.url}/mcp/server-card`,
      },
    ],
  });
  const response = await fetch(catalogue.entries[0]?.url ?? '', {
    headers: { Accept: 'application/mcp-server-card+json' },
  });
  expect(response.headers.get('content-type')).toBe('application/mcp-server-card+json');
  const card = serverDescription.parse(await response.json());
  expect(card.$schema).toBe('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json');
  const [remote] = card.remotes;
  const initialized = await fetch(remote?.url ?? '', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
    }),
  });
  const { result } = initializedSchema.parse(await initialized.json());
  expect(result.serverInfo).toMatchObject({ name: card.name.split('/')[1], title: card.title, version: card.version });
});

test('the checker of x402 registries finds the paid search, its price and how it is called', async () => {
  await using api = await startApi();
  const source = (await getOpenAPI(api.url))._unsafeUnwrap();
  const warnings = getWarningsForOpenAPI(source).filter(({ severity }) => severity !== 'info');
  expect(warnings.map(({ code }) => code)).toEqual([]);
  const discovered = await discoverOriginSchema({ target: api.url });
  if (!discovered.found) throw new Error(`Nothing was found: ${JSON.stringify(discovered)}`);
  const paid = discovered.endpoints.filter(({ price }) => price !== undefined);
  expect(paid).toMatchObject([{ path: '/api/v1/x402/search', method: 'GET', price: '0.01 USD' }]);
  const endpoint = await checkEndpointSchema({ url: `${api.url}/api/v1/x402/search` });
  if (!endpoint.found) throw new Error(`The endpoint was not found: ${JSON.stringify(endpoint)}`);
  expect(endpoint.advisories).toMatchObject([{ method: 'GET', authMode: 'paid' }]);
});

// Offers by MCP are held against the published schema of bazaar, where they are made: this checker knows HTTP alone.
test('the checker of x402 registries takes the offer by HTTP', () => {
  const options = { terms: terms(), baseUrl: publicUrl, entrance: 'http' } as const;
  const { valid, version, issues } = validatePaymentRequiredDetailed(
    paymentRequired(options, 'payment_required', 'Pay.'),
  );
  expect({ valid, version, issues }).toEqual({ valid: true, version: 2, issues: [] });
});
