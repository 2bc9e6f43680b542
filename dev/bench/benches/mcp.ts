import { type Measured, quantileOf } from '../figures.ts';
import { unlimitedKeys } from '../keys.ts';
import type { LoadRequest } from '../load.ts';
import { startServer } from '../programs.ts';
import { mixedPaths } from '../queries.ts';
import { SequentialClient } from '../sequential-client.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const queriesCount = 400;
const warmUpQueries = 100;
const shares = [0.5, 0.9, 0.99] as const;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const database = await setup.database(setup.rows);
  await setup.indexed(database);
  const paths = await mixedPaths(database, setup.options.data, queriesCount);
  const [key = ''] = await unlimitedKeys(database, 1);
  const api = await startServer(['src/main.ts'], {
    ...setup.program(database),
    logFile: setup.path('log/bench-api.log'),
  });
  try {
    using viaMcp = new SequentialClient(api.url);
    using viaHttp = new SequentialClient(api.url);
    const pairs = paths.map((path) => ({ tool: toolCall(path, key), route: routeCall(path, key) }));
    const medians = { subject: [] as number[], floor: [] as number[] };
    const all = { subject: [] as number[], floor: [] as number[] };
    for (const { tool, route } of pairs.slice(0, warmUpQueries)) {
      await viaMcp.ask(tool);
      await viaHttp.ask(route);
    }
    for (let round = 0; round < setup.options.rounds; round += 1) {
      const tookMs = { subject: [] as number[], floor: [] as number[] };
      for (const [at, { tool, route }] of pairs.entries()) {
        setup.signal.throwIfAborted();
        // In turn, so that neither always finds the other's pages in Elasticsearch's caches.
        if (at % 2 === 0) tookMs.subject.push(await viaMcp.ask(tool));
        tookMs.floor.push(await viaHttp.ask(route));
        if (at % 2 === 1) tookMs.subject.push(await viaMcp.ask(tool));
      }
      for (const side of ['subject', 'floor'] as const) {
        medians[side].push(quantileOf(tookMs[side], 0.5));
        all[side].push(...tookMs[side]);
      }
    }
    yield {
      bench: 'mcp',
      unit: 'ms (p50)',
      rows: database.rows,
      subject: medians.subject,
      floor: medians.floor,
      sides: { subject: 'search_entities at /mcp, one after another', floor: 'GET /api/v1/search' },
      better: 'lower',
      goals: [{ of: 'difference', atMost: 2.5 }],
      rssMaxMb: null,
      cpuSeconds: null,
      details: {
        shares,
        subjectMs: shares.map((share) => quantileOf(all.subject, share)),
        floorMs: shares.map((share) => quantileOf(all.floor, share)),
      },
    };
  } finally {
    await api.stop();
  }
}

function routeCall(path: string, key: string): LoadRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${key}` } };
}

/** The same search as clients of the newest revision of the protocol ask for it, who say who they are each time. */
function toolCall(path: string, key: string): LoadRequest {
  const { type, ...rest } = Object.fromEntries(new URLSearchParams(path.slice(path.indexOf('?') + 1)));
  const name = 'search_entities';
  const revision = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const args = { kind: type, limit: 20, ...rest };
  return {
    method: 'POST',
    path: '/mcp',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': revision,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }),
  };
}

export const mcp: BenchGroup = { names: ['mcp'], run };
