import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { requiredEnv } from '../jest/required-env.ts';

/** The program that `npx entity-search-mcp` starts. */
export const stdioProgram = join(import.meta.dirname, '../../../packages/entity-search-mcp/bin/entity-search-mcp.js');

type Env = Readonly<Record<string, string>>;

const states = mkdtempSync(join(tmpdir(), 'entity-search-mcp-'));
afterAll(() => rmSync(states, { recursive: true }));

export const newState = (): string => mkdtempSync(join(states, 'state-'));

// Without this cache, every start compiles the program again.
const inherited = { NODE_COMPILE_CACHE: requiredEnv('NODE_COMPILE_CACHE') };

/** The command with which clients start it. By default, it has a new state directory. */
export function stdioCommand(env: Env, args: readonly string[] = []) {
  return {
    command: process.execPath,
    args: [stdioProgram, ...args],
    env: { ...inherited, XDG_STATE_HOME: newState(), ...env },
  };
}

const resultSchema = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.unknown().optional(),
  _meta: z.looseObject({}).optional(),
});
export type CallResult = z.infer<typeof resultSchema>;

/** Starts the program with the published client of version 2. */
export interface StdioSession extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number | null;
  call(args?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<CallResult>;
  /** The program's stderr, once it has ended. */
  end(): Promise<string>;
}

export async function startStdio(env: Env, mode: 'legacy' | 'auto' = 'legacy'): Promise<StdioSession> {
  const transport = new StdioClientTransport({ ...stdioCommand(env), stderr: 'pipe' });
  let said = '';
  transport.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  const { pid } = transport;
  return {
    client,
    pid,
    async call(args = { query: 'quartz' }, signal) {
      const call = { method: 'tools/call', params: { name: 'search_entities', arguments: args } };
      return client.request(call, resultSchema, signal === undefined ? {} : { signal });
    },
    async end() {
      await client.close();
      return said;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export function textOf({ content }: CallResult): string {
  return content.map((each) => each.text ?? '').join('\n');
}
