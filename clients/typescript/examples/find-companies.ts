// Prints companies by text, and then all of one country. Needs ENTITY_SEARCH_API_KEY.
import { createClient, hasCode } from 'entity-search-client';

const { ENTITY_SEARCH_URL = 'http://127.0.0.1:3000', ENTITY_SEARCH_API_KEY } = process.env;
const client = createClient({ baseUrl: ENTITY_SEARCH_URL, apiKey: ENTITY_SEARCH_API_KEY });

const { data } = await client.search({ type: 'companies', query: 'exchange', limit: 5 });
for (const { id, name } of data.results) console.log(id, name);

for await (const item of client.searchAll({ type: 'companies', country: ['Australia'], fields: ['name', 'website'] })) {
  if (item.entity_type === 'companies') console.log(item.name, item.website);
}

try {
  await client.getCompany({ identifier: 'no-such-company' });
} catch (error) {
  if (!hasCode(error, 'not_found')) throw error;
  console.log(error.code, error.requestId);
}
