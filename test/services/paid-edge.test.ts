import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PaidApi, type PaidStage, setPaidStage } from '../support/paid-stage.ts';

// What a stranger may put into a request to the paid route beside its parameters.

let stage: PaidStage;
let api: PaidApi;

beforeAll(async () => {
  stage = await setPaidStage();
  api = await stage.startApi();
});

afterAll(async () => {
  await api?.[Symbol.asyncDispose]();
  await stage?.[Symbol.asyncDispose]();
});

/** An answer's body, to a request with a `Host` of its own. */
async function askAs(url: string, path: string, host: string): Promise<Record<string, unknown>> {
  const sent = request(`${url}${path}`, { headers: { host }, agent: false }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response ?? []) text += chunk;
  return JSON.parse(text);
}

describe('the address that payers are told, without PUBLIC_URL', () => {
  test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.7:3000', '[::2]'])(
    '%s is not repeated: it is the address that was connected to',
    async (host) => {
      const { resource } = await askAs(api.url, '/api/v1/x402/search?q=x', host);
      expect(resource).toMatchObject({ url: `${api.url}/api/v1/x402/search` });
      const { resources } = await askAs(api.url, '/.well-known/x402', host);
      expect(resources).toEqual([`${api.url}/api/v1/x402/search`]);
    },
  );

  test.each(['localhost:8080', 'LOCALHOST', '127.0.0.1', '127.9.9.9:1', '[::1]:3000'])(
    '%s names this machine and is repeated',
    async (host) => {
      const { resource } = await askAs(api.url, '/api/v1/x402/search?q=x', host);
      expect(resource).toMatchObject({ url: `http://${host}/api/v1/x402/search` });
    },
  );

  test('behind a proxy, neither is X-Forwarded-Host', async () => {
    await using behind = await stage.startApi({ TRUST_PROXY: '1' });
    const response = await fetch(`${behind.url}/api/v1/x402/search`, {
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    expect(await response.text()).not.toContain('evil');
  });
});
