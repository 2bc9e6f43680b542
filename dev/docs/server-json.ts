import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { optionList } from '../../packages/entity-search-mcp/src/options.ts';
import { identity, keyHeader, mcpPath, serverJsonSchema } from '../../src/http/mcp/catalogue-documents.ts';

const folder = 'packages/entity-search-mcp';
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
    $schema: serverJsonSchema,
    name: mcpName,
    ...identity,
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
        url: `https://{host}${mcpPath}`,
        headers: [keyHeader],
        variables: {
          host: { description: 'The host of the service, such as api.example.com', isRequired: true },
        },
      },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
