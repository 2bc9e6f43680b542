import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '../../../src/lib/wire-schema.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');

/** A consumer's code; it compiles only if the client's types fit the answers of the API. */
const consumer = `import { bulk, defaults, getCompany, search, servers } from './client.ts';

const [url = '', key = ''] = process.argv.slice(2);
defaults.baseUrl = url;
defaults.headers = { authorization: \`Bearer \${key}\` };

const found = await search('companies', { query: 'plover spire', limit: 1, sort: 'relevance', country: ['Australia'] });
if (found.status !== 200) throw new Error(\`search: \${found.status}\`);
const [item] = found.data.data.results;
const first: string | undefined = item?.entity_type === 'companies' ? item.name : undefined;
const total: number = found.data.data.totalResults;

const one = await getCompany('plover-spire', { fields: ['name', 'location_json'] });
const record: string | undefined = one.status === 200 ? one.data.data.name : undefined;
const country: string | null | undefined = one.status === 200 ? one.data.data.location_json?.country : undefined;

const many = await bulk({ operation: 'count', entity_type: 'companies', identifiers: [1000806, 5] });
const counts = many.status === 200 && many.data.data.operation === 'count' ? many.data.data.results : undefined;

// @ts-expect-error: the kinds are known.
const wrong = await search('planets');
const refused = wrong.status === 400 ? [wrong.status, wrong.data.code] : [];
if (total !== 1 || country !== 'Australia' || servers.server1 !== 'https://api.example.com') throw new Error('the types lie');
process.stdout.write(JSON.stringify({ first, record, found: counts?.companies?.count, refused }));
`;

const compiler = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: false,
  allowImportingTsExtensions: true,
  types: ['node'],
  noEmit: true,
};

/** A client in a folder of its own, which is removed with it. */
export interface BuiltClient extends Disposable {
  /** The output of the project's compiler for the client and its consumer. */
  readonly complaints: string;
  /** Runs the consumer. */
  run(url: string, key: string): Promise<unknown>;
}

/** Generates a client from an OpenAPI document, and compiles it with a consumer. */
export async function buildClient(document: Json): Promise<BuiltClient> {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-client-'));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const program = (name: string): string => join(root, 'node_modules', '.bin', name);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  write('package.json', '{"type":"module"}');
  write('openapi.json', JSON.stringify(document));
  write('consumer.ts', consumer);
  write('tsconfig.json', JSON.stringify({ compilerOptions: compiler, files: ['consumer.ts'] }));
  await run(program('oazapfts'), ['openapi.json', 'client.ts'], { cwd: folder });
  const complaints = await run(program('tsc'), ['-p', '.'], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (failure: { readonly stdout: string }) => failure.stdout,
  );
  return {
    complaints,
    run: async (url, key) =>
      JSON.parse((await run(process.execPath, ['consumer.ts', url, key], { cwd: folder })).stdout),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
