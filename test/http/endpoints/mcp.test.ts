import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { elasticsearchAnswer, startApi } from '../../support/api/in-process.ts';

const company = {
  kind: 'companies',
  source: { id: 7, name: 'Plover Spire', slug: 'plover-spire', tags: ['exchange'] },
};

describe('POST /mcp', () => {
  test('a client of the SDK finds and calls a tool, which answers without nulls and in few words', async () => {
    await using api = await startApi({ search: async () => ({ ok: true, body: elasticsearchAnswer([company]) }) });
    const headers = { authorization: `Bearer ${api.key}` };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('search_entities');
    const result = await client.callTool({ name: 'search_entities', arguments: { query: 'plover' } });
    expect(result).toMatchObject({
      content: [
        {
          type: 'text',
          text: 'Found 1 result, page 1 of 1.\n1. Plover Spire (companies/plover-spire, id 7) tags: exchange',
        },
      ],
      structuredContent: {
        totalResults: 1,
        matchedBy: 'strict',
        results: [{ entity_type: 'companies', id: 7, name: 'Plover Spire', slug: 'plover-spire', tags: ['exchange'] }],
      },
    });
    await client.close();
  });
});
