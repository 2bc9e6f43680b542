import { Client, Transport, type TransportRequestOptions, type TransportRequestParams } from '@elastic/elasticsearch';
import { readVocabulary } from '../../src/config/vocabulary.ts';
import { createSearchPort } from '../../src/elasticsearch/search-port.ts';
import { parseSearch } from '../../src/http/request/search-parameters.ts';
import { executeSearch } from '../../src/search/execute-search.ts';
import { searchTools } from '../../src/search/ports.ts';
import { prepareQuery } from '../../src/search/query.ts';
import { emptyKnowledge } from '../../src/search/questions/knowledge.ts';
import { withClient } from '../engines/postgres/client.ts';
import { type Random, random } from '../sample/random.ts';
import type { Database } from './databases.ts';
import type { LoadRequest } from './load.ts';

/** A search in the API, and the one or two requests that the API sends to Elasticsearch for it. */
export interface Search {
  readonly path: string;
  readonly direct: readonly LoadRequest[];
}

interface Company {
  readonly name: string;
  readonly tagline: string | null;
  readonly tags: readonly string[];
  readonly city: string | null;
  readonly country: string | null;
}

const seed = 'bench queries 1';

/** Returns likely queries, built from names. */
export async function mixedPaths(database: Database, count: number): Promise<readonly string[]> {
  const { rows } = await withClient(database.url, (client) =>
    client.query<Company>(
      `select name, tagline, tags, city, country from companies order by hashint8(id), id limit $1`,
      [count],
    ),
  );
  return rows.map((company, at) => pathOf(parametersFor(company, random(`${seed}|${at}`))));
}

function pathOf(parameters: Readonly<Record<string, string>>): string {
  return `/api/v1/search?${new URLSearchParams({ type: 'companies', ...parameters })}`;
}

/** Builds one of: a name, a part of it, a misspelt one, a topic, also with its city, a filter, a second page. */
export function parametersFor(company: Company, draw: Random): Readonly<Record<string, string>> {
  const { name, tagline, tags, city, country } = company;
  const shape = draw.next();
  const topic = tags.length === 0 ? name : draw.pick(tags);
  if (shape < 0.35) return { query: name };
  if (shape < 0.5) return { query: name.slice(0, Math.max(3, Math.ceil(name.length * 0.6))) };
  if (shape < 0.7) return { query: misspelt(name, draw) };
  if (shape < 0.8) return { query: (tagline ?? name).split(/\s+/).slice(0, 4).join(' ') };
  if (shape < 0.9) return { query: `${topic} ${city ?? country ?? ''}`.trim() };
  if (shape < 0.95) return { query: topic, ...(country === null ? {} : { country }) };
  return { query: topic, page: '2' };
}

/** One letter is left out, doubled, or exchanged with the next. */
function misspelt(name: string, draw: Random): string {
  if (name.length < 4) return name;
  const at = draw.int(1, name.length - 2);
  const [before, letter, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
  const way = draw.int(0, 2);
  if (way === 0) return before + after;
  if (way === 1) return before + letter + letter + after;
  return before + after.charAt(0) + letter + after.slice(1);
}

export async function captured(
  paths: readonly string[],
  elasticsearch: string,
  alias: string,
): Promise<readonly Search[]> {
  let requests: LoadRequest[] = [];
  class Recording extends Transport {
    // The base class declares four forms of it; this is the widest.
    override async request(params: TransportRequestParams, options?: TransportRequestOptions): Promise<never> {
      const answer = (await super.request(params, options)) as never;
      // Names are looked up in the indices of all kinds, which the benches lack.
      requests.push(requestOf(params));
      return answer;
    }
  }
  const client = new Client({ node: elasticsearch, Transport: Recording });
  const port = createSearchPort(client);
  const vocabulary = readVocabulary();
  const searches: Search[] = [];
  try {
    for (const path of paths) {
      requests = [];
      const { query } = parseSearch(path.slice(path.indexOf('?') + 1));
      const context = { vocabulary, indexPrefix: '', knowledge: emptyKnowledge, now: new Date() };
      const prepared = { ...prepareQuery(query, context), indices: [alias] };
      const outcome = await executeSearch(
        prepared,
        searchTools(port, () => 30_000),
      );
      if (!outcome.ok) throw new Error(`${path} got no answer: ${outcome.reason}`);
      searches.push({ path, direct: requests });
    }
    return searches;
  } finally {
    await client.close();
  }
}

function requestOf({ path, querystring, body }: TransportRequestParams): LoadRequest {
  const query = new URLSearchParams(
    Object.entries(typeof querystring === 'object' ? querystring : {}).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  );
  return {
    method: 'POST',
    path: `${path}?${query}`,
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
