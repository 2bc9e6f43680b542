import {
  checkEndpointSchema,
  discoverOriginSchema,
  getOpenAPI,
  getWarningsForOpenAPI,
  validatePaymentRequiredDetailed,
} from '@agentcash/discovery';
import { terms } from '../../../dev/explore/payments/scenario.ts';
import { paymentRequired } from '../../../src/payments/protocol/terms.ts';
import { startApi } from '../../support/api/in-process.ts';

// Catalogues of x402 resources find the service by its OpenAPI document.

const publicUrl = 'https://api.example.com';

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
