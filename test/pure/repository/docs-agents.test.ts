import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { optionList } from '../../../packages/entity-search-mcp/src/options.ts';
import { tools } from '../../../src/http/mcp/tools/tools.ts';

// The configurations in docs/agents.md, as clients read them.

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'agents.md'), 'utf8');
const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

const byHttp = z.strictObject({
  type: z.literal('http').optional(),
  url: z.literal('https://api.example.com/mcp'),
  headers: z.strictObject({ Authorization: z.string().startsWith('Bearer ') }),
});
const byStdio = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.literal('npx'),
  args: z.array(z.string()).min(2),
  env: z.record(z.string(), z.string()),
});
const servers = z.strictObject({ 'entity-search': z.union([byHttp, byStdio]) });
const input = z.strictObject({
  type: z.literal('promptString'),
  id: z.string(),
  description: z.string(),
  password: z.literal(true),
});
const configuration = z.union([
  z.strictObject({ mcpServers: servers }),
  z.strictObject({ inputs: z.array(input), servers }),
]);

test('every configuration is JSON of the form that its client reads', () => {
  expect(blocks).toHaveLength(4);
  for (const block of blocks) expect(configuration.safeParse(JSON.parse(block))).toMatchObject({ success: true });
});

test('the program reads everything that the configurations set', () => {
  const variables = optionList.map(({ env }) => env);
  const flags = optionList.flatMap(({ flag }) => (flag === undefined ? [] : [`--${flag}`]));
  for (const block of blocks) {
    const parsed = configuration.parse(JSON.parse(block));
    const server = 'servers' in parsed ? parsed.servers['entity-search'] : parsed.mcpServers['entity-search'];
    if (!('command' in server)) continue;
    expect(variables).toEqual(expect.arrayContaining(Object.keys(server.env)));
    expect(flags).toEqual(expect.arrayContaining(server.args.filter((arg) => arg.startsWith('--'))));
  }
  const named = [...page.matchAll(/ENTITY_SEARCH_[A-Z_]+/g)].map(([name]) => name);
  expect(variables).toEqual(expect.arrayContaining([...new Set(named)]));
});

test('the table of tools has every tool, and no other', () => {
  const listed = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
  expect([...listed].sort()).toEqual(tools.map(({ name }) => name).sort());
});
