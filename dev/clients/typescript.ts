import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { clientOperations } from './operations.ts';

// The generated part of clients/typescript: the types of all schemas and operations from openapi-typescript, and two
// small tables for run time.

const root = join(import.meta.dirname, '..', '..');
export const generatedFolder = join(root, 'clients', 'typescript', 'src', 'generated');
/** openapi-typescript needs its own TypeScript, so it is installed separately. */
const generator = join(root, '.local', 'clients-typescript');
const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];
export const hasGenerator = existsSync(join(generator, 'node_modules', 'openapi-typescript', 'bin', 'cli.js'));
export const howToInstall = `npm install --prefix .local/clients-typescript --no-audit --no-fund ${packages.join(' ')}`;

const notice = '// Written by `npm run clients` from the OpenAPI document: do not edit.\n';
const document = z.object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) });
const errorSchema = z.object({ properties: z.object({ code: z.object({ enum: z.array(z.string()) }) }) });

/** Writes the tables and, if their generator is installed, the types. Returns true if it is installed. */
export function generateTypeScript(documentPath: string, folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const text = readFileSync(documentPath, 'utf8');
  writeFileSync(join(folder, 'operations.ts'), operationsFile(text));
  writeFileSync(join(folder, 'error-codes.ts'), errorCodesFile(text));
  if (!hasGenerator) return false;
  const cli = join(generator, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  const { status, stderr } = spawnSync(process.execPath, [cli, documentPath, '-o', join(folder, 'schema.ts')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`openapi-typescript: ${stderr}`);
  return true;
}

function operationsFile(text: string): string {
  const rows = clientOperations(text).map(({ name, ...operation }) => `  ${name}: ${literal(operation)},`);
  return `${notice}
import type { Operation } from '../request.ts';

export const operations = {
${rows.join('\n')}
} as const satisfies Readonly<Record<string, Operation>>;
`;
}

function errorCodesFile(text: string): string {
  const { schemas } = document.parse(JSON.parse(text)).components;
  const codes = Object.values(schemas).flatMap(
    (schema) => errorSchema.safeParse(schema).data?.properties.code.enum ?? [],
  );
  const members = [...new Set(codes)].sort().map((code) => `  | '${code}'`);
  return `${notice}
/** What \`code\` of an error may be; a newer server may send others. */
export type ErrorCode =
${members.join('\n')};
`;
}

function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('"', "'");
}
