import { version } from './version.ts';

/** What the service is called and is good for, wherever it introduces itself: to payers, in catalogues, over MCP. */
export const serviceDescription = {
  /** For programs, within the names of whoever runs it. */
  name: 'entity-search',
  title: 'Entity Search',
  /** Of the API and its tools. */
  version,
  /** At most 100 characters: catalogues take no more. */
  summary: 'Search Web3 companies, people, investors and events, with an API key or paid per search (x402).',
  /** At most five, of at most 32 ASCII characters each. */
  tags: ['search', 'web3', 'companies', 'people', 'investors'],
} as const;
