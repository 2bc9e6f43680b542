import { z } from 'zod';
import { apiVariables } from '../../src/config/api.ts';
import { consoleVariables } from '../../src/config/console.ts';
import { embeddingVariables } from '../../src/config/embeddings.ts';
import { databaseVariables, elasticsearchVariables, logVariables } from '../../src/config/engines.ts';
import { indexerVariables } from '../../src/config/indexer.ts';
import { metricsVariables } from '../../src/config/metrics.ts';
import { paymentVariables } from '../../src/config/payments.ts';
import { secretVariables } from '../../src/config/secrets.ts';
import { code, table } from './table.ts';

const both = z.object({ ...databaseVariables, ...elasticsearchVariables, ...logVariables, ...metricsVariables.shape });

/** The settings by the process that reads them, in the order of the page. */
const settingGroups: readonly { readonly title: string; readonly text: string; readonly variables: z.ZodObject }[] = [
  { title: 'Both processes', text: '', variables: both },
  { title: 'API', text: '', variables: apiVariables },
  {
    title: 'Paid search',
    text: 'Read by the API and by `entity-search payments`. Without `X402_PAY_TO`, nothing is sold and the other settings have no effect.',
    variables: paymentVariables,
  },
  {
    title: 'Account page',
    text: 'Read by the API. `PUBLIC_URL` (see paid search) is the address for browsers. Without it, people can sign in at `localhost` only.',
    variables: consoleVariables,
  },
  {
    title: 'Embeddings',
    text: 'Read by the API and by the commands that build and follow indices. Both need the same model. With `EMBEDDINGS=off`, the other settings have no effect.',
    variables: embeddingVariables,
  },
  { title: 'Command line', text: '', variables: indexerVariables },
];

const documented = z.object({ default: z.string(), allowed: z.string(), description: z.string() });

function rowsOf(variables: z.ZodObject): readonly (readonly string[])[] {
  return Object.entries(variables.shape).map(([name, schema]) => {
    const { error, data } = documented.safeParse(schema.meta());
    if (error !== undefined)
      throw new Error(`${name} has no ${error.issues.map(({ path }) => path.join()).join(', ')}.`);
    return [code(name), data.default, data.allowed, data.description];
  });
}

export function settingsPage(): string {
  const groups = settingGroups.map(({ title, text, variables }) => {
    const rows = table(['variable', 'default', 'allowed', 'description'], rowsOf(variables));
    return [`## ${title}`, text, rows].filter((part) => part !== '').join('\n\n');
  });
  return `# Settings

Settings are environment variables. An empty variable counts as unset. A process reports all wrong settings when it starts.
Durations have a unit: \`ms\` (the default), \`s\`, \`m\` or \`h\`.

Each of ${secretVariables.map(code).join(', ')}
can be a file instead: set \`…_FILE\` to its path. Secrets are never printed.

${groups.join('\n\n')}
`;
}
