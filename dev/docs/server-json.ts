import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { optionList } from '../../packages/entity-search-mcp/src/options.ts';
import { serviceDescription } from '../../src/lib/service-description.ts';

const folder = 'packages/entity-search-mcp';
/** The header for an API key. Searches without a key are paid. */
const keyHeader = {
  name: 'Authorization',
  description: 'An API key. Without it, search_entities can be paid per call by x402.',
  value: 'Bearer {api_key}',
  isRequired: false,
  variables: { api_key: { description: 'An API key, such as es_live_…', isSecret: true, isRequired: false } },
};

/** The path at which `mcp-publisher` of the MCP registry expects the file: next to the package that it names. */
export const serverJsonPath = `${folder}/server.json`;

const packageSchema = z.object({ name: z.string(), version: z.string(), mcpName: z.string() });

/** Options that clients ask for and store as secrets, and options for command lines only. */
const secrets: readonly string[] = ['key', 'wallet'];
const filePaths: readonly string[] = ['keyFile', 'walletFile'];

/** Returns the MCP registry's document about the package and about running services. */
export function packageServerJson(): string {
  const root = join(import.meta.dirname, '..', '..');
  const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
  const { name, version, mcpName } = packageSchema.parse(JSON.parse(text));
  const document = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: serviceDescription.title,
    description: serviceDescription.summary,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: optionList
          .filter((option) => !filePaths.includes(option.name))
          .map(({ name: option, env, text: description, default: preset }) => ({
            name: env,
            description,
            isRequired: option === 'url',
            isSecret: secrets.includes(option),
            ...(preset === undefined ? {} : { default: preset }),
          })),
      },
    ],
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{host}/mcp',
        headers: [keyHeader],
        variables: {
          host: { description: 'The host of the service, such as api.example.com', isRequired: true },
        },
      },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
