import { readFileSync } from 'node:fs';
import { z } from 'zod';

const packageFile = new URL('../../package.json', import.meta.url);

/** The version of this release, from package.json. */
export const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8')));

/** The description of the service for payers, catalogues and MCP. */
export const serviceDescription = {
  /** Name for programs, below the operator's namespace. */
  name: 'entity-search',
  title: 'Entity Search',
  version,
  /** At most 100 characters, the limit of catalogues. */
  summary: 'Search Web3 companies, people, investors and events, with an API key or paid per search (x402).',
  /** At most five, of at most 32 ASCII characters each. */
  tags: ['search', 'web3', 'companies', 'people', 'investors'],
} as const;
