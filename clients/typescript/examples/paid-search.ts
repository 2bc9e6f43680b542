// Buys one search, without a key. Needs ENTITY_SEARCH_WALLET_KEY, the private key of a wallet with USDC, and viem.
import { createClient } from 'entity-search-client';

const { ENTITY_SEARCH_URL = 'http://127.0.0.1:3000', ENTITY_SEARCH_WALLET_KEY } = process.env;
const spending = { perCallUsd: '0.01', totalUsd: '1' };
const client = createClient({ baseUrl: ENTITY_SEARCH_URL, wallet: ENTITY_SEARCH_WALLET_KEY, spending });

const { data, meta } = await client.paidSearch({ q: 'exchange', type: 'companies', limit: 3 });
for (const { name, website } of data.companies) console.log(name, website);
console.log(meta.transaction, client.spentUsd);
