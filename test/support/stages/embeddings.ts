import pg from 'pg';
import { z } from 'zod';
import { type ApiProcess, startApiProcess } from '../api/process.ts';
import { succeed } from '../commands.ts';
import { createTestDatabase } from '../engines/database.ts';
import { createTestIndices } from '../engines/indices.ts';

/** A caller's view of a search for companies. */
export interface Answer {
  readonly status: number;
  /** The code of an error, if there is one. */
  readonly matchedBy: string;
  readonly names: readonly string[];
  readonly ms: number;
  /** The time of arrival, on the monotonic clock. */
  readonly atMs: number;
}

/** Companies with vectors in an index, and an API process that creates vectors of queries. */
export interface EmbeddingStage extends AsyncDisposable {
  readonly api: ApiProcess;
  ask(query: string): Promise<Answer>;
  /** Indexes the companies again, with these settings of embeddings. */
  reindex(settings: Variables): Promise<unknown>;
}

type Variables = Readonly<Record<string, string>>;

const answered = z.object({
  data: z.object({ matchedBy: z.string(), results: z.array(z.object({ name: z.string() })) }),
});
const refused = z.object({ code: z.string() });

/**
 * @param overviews of the companies `Company 1`, `Company 2` …
 * @param settings of embeddings
 */
export async function setEmbeddingStage(overviews: readonly string[], settings: Variables): Promise<EmbeddingStage> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase());
  const indices = resources.use(createTestIndices());
  await fill(database.url, overviews);
  const engines = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
  const key = await prepare({ ...engines, ...settings });
  const api = resources.use(startApiProcess({ ...engines, ...settings, METRICS_PORT: '0' }, { checked: false }));
  const url = await api.url;
  const owned = resources.move();
  return {
    api,
    ask: (query) => ask(`${url}/api/v1/search?type=companies&query=${encodeURIComponent(query)}`, key),
    reindex: (changed) => succeed({ ...engines, ...changed }, 'reindex', 'companies'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function fill(databaseUrl: string, overviews: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into companies (id, name, slug, overview)
       select at, 'Company ' || at, 'company-' || at, overview from unnest($1::text[]) with ordinality as o(overview, at)`,
      [overviews],
    );
    await client.query(`update plans set calls_per_minute = 1000000 where name = 'scale'`);
  } finally {
    await client.end();
  }
}

/** Creates vectors, indices and a key, like an operator. */
async function prepare(env: Variables): Promise<string> {
  const commands = [
    ['embed'],
    ['reindex', 'companies'],
    ['accounts', 'create', 'Load', '--plan', 'scale'],
    ['keys', 'create', '--account', 'Load', '--name', 'load'],
  ];
  let out = '';
  for (const command of commands) ({ out } = await succeed(env, ...command));
  return /es_\w+/.exec(out)?.[0] ?? '';
}

async function ask(address: string, key: string): Promise<Answer> {
  const startedMs = performance.now();
  const response = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
  const body: unknown = await response.json();
  const atMs = performance.now();
  const { matchedBy, results } = response.ok
    ? answered.parse(body).data
    : { matchedBy: refused.parse(body).code, results: [] };
  return {
    status: response.status,
    matchedBy,
    names: results.map(({ name }) => name),
    ms: atMs - startedMs,
    atMs,
  };
}
