import { z } from 'zod';
import { type ClusterRole, findRequest, type KnownRequest } from '../../../src/elasticsearch/requests.ts';
import { forward, replyWith, startEngineProxy } from './elasticsearch.ts';

/** An HTTP proxy in front of Elasticsearch, below its own path, that only forwards the listed requests of a role. */
export interface DenyingProxy extends AsyncDisposable {
  /** Address of the proxy, with its path. */
  readonly url: string;
  readonly used: ReadonlySet<KnownRequest>;
  /** Requests answered with 403, as `GET /path`. */
  readonly denied: readonly string[];
  deny(request: KnownRequest | undefined): void;
}

const path = '/behind/a/proxy';

/** @param prefix of all index names; a request that names another index is denied */
export async function startDenyingProxy(target: string, role: ClusterRole, prefix: string): Promise<DenyingProxy> {
  const used = new Set<KnownRequest>();
  const denied: string[] = [];
  let refused: KnownRequest | undefined;

  const allowed = (method: string, requested: string, body: string): KnownRequest | undefined => {
    const found = findRequest(method, requested);
    if (found === undefined || found.request === refused || !found.request.roles.includes(role)) return undefined;
    const names = [...found.indices, ...namesWithin(found.request, body)];
    return names.every((name) => name.startsWith(prefix)) ? found.request : undefined;
  };

  const server = await startEngineProxy(async (given, response) => {
    const { method, path: url, body } = given;
    const requested = url.startsWith(`${path}/`) ? url.slice(path.length) : '';
    const request = allowed(method, requested.replace(/\?.*$/s, ''), body.toString());
    if (request !== undefined) {
      used.add(request);
      return replyWith(response, await forward(target, { ...given, path: requested }));
    }
    denied.push(`${method} ${url}`);
    response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>');
  });
  return {
    url: `${server.url}${path}/`,
    used,
    denied,
    deny: (request) => {
      refused = request;
    },
    [Symbol.asyncDispose]: server.close,
  };
}

const searchHead = z.object({ index: z.array(z.string()).or(z.string()) });
const aliasAction = z.record(z.string(), z.looseObject({ index: z.string(), alias: z.string() }));
const aliasBody = z.object({ actions: z.array(aliasAction) });

function namesWithin({ path: of }: KnownRequest, body: string): readonly string[] {
  if (of === '/_msearch') {
    const heads = body.split('\n').filter((line, at) => at % 2 === 0 && line !== '');
    return heads.flatMap((line) => searchHead.parse(JSON.parse(line)).index);
  }
  if (of !== '/_aliases') return [];
  const { actions } = aliasBody.parse(JSON.parse(body));
  return actions.flatMap((action) => Object.values(action).flatMap(({ index, alias }) => [index, alias]));
}
