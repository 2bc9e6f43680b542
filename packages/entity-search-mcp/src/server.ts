import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { type CallTool, failure } from './calls.ts';
import type { Log } from './log.ts';
import type { Service } from './service.ts';
import { ServiceError } from './service-error.ts';

/** The largest number of calls in progress; more are refused, so that a runaway client cannot exhaust memory. */
const callsMax = 64;
/** Pauses between attempts to reach a service that was away when its tools were requested. */
const lookAgainMs = [5_000, 15_000, 60_000];

const instructions =
  'Searches Web3 companies, people, investors and events. Find entities with search_entities or suggest_names, then ask for one by its slug. With a wallet instead of an API key only search_entities works, and each search costs money.';

interface ServerDeps {
  readonly service: Service;
  readonly callTool: CallTool;
  readonly version: string;
  readonly log: Log;
}

/** The MCP server for clients. It forwards requests for tools to the service and returns its answers unchanged. */
export function createServer({ service, callTool, version, log }: ServerDeps): Server {
  const server = new Server(
    { name: 'entity-search-mcp', title: 'Entity Search', version },
    { capabilities: { tools: { listChanged: true } }, instructions },
  );
  const lookAgain = createLookout(service, log, () => {
    void server
      .sendToolListChanged()
      .catch((error: unknown) => log.warn(`the client could not be notified: ${String(error)}`));
  });
  let calls = 0;
  const limited = async <T>(work: () => Promise<T>, refuse: (text: string) => T): Promise<T> => {
    if (calls >= callsMax)
      return refuse(`More than ${callsMax} calls are under way: wait for some of them, then call again.`);
    calls += 1;
    try {
      return await work();
    } finally {
      calls -= 1;
    }
  };
  // Results go through as they came, so there are no handlers that would know and check each one's form.
  server.fallbackRequestHandler = (request, { mcpReq }) => {
    const { method } = request;
    const params = forwardedParams(request.params);
    if (method === 'tools/call') return limited(() => callTool(params, mcpReq.signal), failure);
    if (method === 'tools/list') return limited(() => listTools(params, mcpReq.signal), refuseRequest);
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `There is no method ${method}.`);
  };
  async function listTools(params: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    try {
      return await service.request('tools/list', params, signal);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      lookAgain();
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    }
  }
  return server;
}

function refuseRequest(text: string): never {
  throw new ProtocolError(ProtocolErrorCode.InternalError, text);
}

/** Keys of `_meta` that belong to one connection; the connection to the service has its own. */
const ofConnection = /^(progressToken$|io\.modelcontextprotocol\/)/;

function forwardedParams(params: object | undefined): Readonly<Record<string, unknown>> {
  const { _meta, ...rest }: Record<string, unknown> = { ...params };
  if (typeof _meta !== 'object' || _meta === null) return rest;
  const kept = Object.entries(_meta).filter(([key]) => !ofConnection.test(key));
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) };
}

/**
 * Retries a service that is down, a few times, and notifies the client when it is back: clients list tools only at the
 * start.
 */
function createLookout(service: Service, log: Log, found: () => void): () => void {
  let looking = false;
  const look = async (): Promise<void> => {
    for (const [index, pauseMs] of [...lookAgainMs, ...Array<number>(60).fill(60_000)].entries()) {
      await new Promise((resolve) => void setTimeout(resolve, pauseMs).unref());
      try {
        await service.request('tools/list', {}, AbortSignal.timeout(30_000));
        log.info('the service is back');
        found();
        return;
      } catch (error) {
        if (index === 0) log.warn(error instanceof Error ? error.message : String(error));
      }
    }
  };
  return () => {
    if (looking) return;
    looking = true;
    void look().finally(() => {
      looking = false;
    });
  };
}
