import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { SAMPLE_DEFAULTS, writeSample } from '../../../dev/sample/generate.ts';
import { readVocabulary } from '../../../src/config/vocabulary.ts';
import { createSearchPort } from '../../../src/elasticsearch/search-port.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import type { Deps } from '../../../src/ports.ts';
import { loadKnowledge } from '../../../src/search/questions/knowledge-source.ts';
import { type Api, startApi } from '../api/in-process.ts';
import { patientLimits } from '../api/process.ts';
import { succeed } from '../commands.ts';
import { createTestDatabase } from '../engines/database.ts';
import { createTestClient, createTestIndices, type TestIndices } from '../engines/indices.ts';
import { openWorld, type World } from '../engines/worlds.ts';
import { realData } from '../real-data.ts';

export type Item = Readonly<Record<string, unknown>> & { readonly entity_type: string; readonly id: number };

/** The `data` of a search's answer. */
export interface Found {
  readonly results: readonly Item[];
  readonly totalResults: number;
  readonly totalPages: number;
  readonly page: number;
  readonly matchedBy: string;
  readonly understood: object | null;
  readonly nextCursor: string | null;
  readonly facets?: Readonly<Record<string, readonly { readonly value: string | boolean; readonly count: number }[]>>;
}

/** Entities that are imported and indexed as in production, and the API on real engines. */
export interface SearchStage extends AsyncDisposable {
  readonly api: Api;
  readonly pool: pg.Pool;
  /** The environment of programs, with all addresses. */
  readonly env: World['env'];
  /** Starts another API on the same engines. */
  startApi(env?: Readonly<Record<string, string>>): Promise<Api>;
  /** The records in Postgres, to compare answers with. */
  records(kind: KindName): Promise<readonly Item[]>;
  /** Sends a query string. Throws for any status but 200. */
  find(query: string): Promise<Found>;
  /** Follows cursors from a query string to the end, one answer at a time. */
  paginate(query: string): AsyncGenerator<Found, void, undefined>;
}

/** The same with separate indices. */
export interface FeaturesStage extends SearchStage {
  readonly indices: TestIndices;
  /** Builds new generations of the kinds from what is in Postgres. */
  reindex(...kinds: readonly KindName[]): Promise<void>;
  /** The same with other settings. */
  reindexWith(more: Readonly<Record<string, string>>, ...kinds: readonly KindName[]): Promise<void>;
}

/**
 * @param fill the entities: folders to import, and SQL
 * @param meaning embeddings settings of the indices, and the source of queries' vectors
 */
export async function setFeaturesStage(
  fill: { readonly folders?: readonly string[]; readonly sql?: string },
  meaning: { readonly env?: Readonly<Record<string, string>>; readonly embeddings?: Deps['embeddings'] } = {},
): Promise<FeaturesStage> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase());
  const indices = resources.use(createTestIndices());
  const env = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
  for (const folder of fill.folders ?? []) await succeed(env, 'import', folder);
  if (fill.sql !== undefined) {
    const { sql } = fill;
    await withClient(database.url, (client) => client.query(sql));
  }
  const reindexWith = async (more: Readonly<Record<string, string>>, ...of: readonly KindName[]) => {
    await succeed({ ...env, ...more }, 'reindex', ...of);
    await indices.client.indices.refresh({ index: `${indices.prefix}*` });
  };
  const reindex = (...of: readonly KindName[]) => reindexWith(meaning.env ?? {}, ...of);
  await reindex();
  const stage = await searchStage(resources, env, meaning.embeddings);
  const owned = resources.move();
  return { ...stage, indices, reindex, reindexWith, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function searchStage(
  resources: AsyncDisposableStack,
  env: World['env'],
  embeddings: Deps['embeddings'] = null,
): Promise<Omit<SearchStage, typeof Symbol.asyncDispose>> {
  const pool = resources.adopt(new pg.Pool({ connectionString: env.DATABASE_URL, max: 2 }), (opened) => opened.end());
  const client = resources.adopt(createTestClient(), (opened) => opened.close());
  const searchPort = createSearchPort(client);
  const vocabulary = readVocabulary();
  const loaded = await loadKnowledge({ indexPrefix: env.INDEX_PREFIX, vocabulary }, (request) =>
    searchPort.search({ ...request, timeoutMs: 30_000 }),
  );
  if (!loaded.ok) throw new Error(`What the data knows could not be read: ${loaded.reason}`, { cause: loaded.cause });
  const search = { searchPort, vocabulary, knowledge: loaded.knowledge, embeddings };
  const apis = resources.use(new AsyncDisposableStack());
  const startWith: SearchStage['startApi'] = async (more = {}) =>
    apis.use(await startApi({ ...search, env: { ...env, ...more }, limits: patientLimits }));
  const api = await startWith();
  const find = (query: string) => findWith(api, query);
  return {
    api,
    pool,
    env,
    startApi: startWith,
    records: async (kind) => {
      const { rows } = await pool.query<{ body: string }>(selectBodies(kinds[kind].sql, 'record', ''));
      return rows.map(({ body }) => ({ entity_type: kind, ...(JSON.parse(body) as { id: number }) }));
    },
    find,
    async *paginate(query) {
      let found = await find(query);
      yield found;
      while (found.nextCursor !== null) {
        found = await find(`${query}&cursor=${found.nextCursor}`);
        yield found;
      }
    },
  };
}

/** The fictional sample of `npm run demo`, in indices that other files share. */
export const setSampleStage = (): Promise<SearchStage> => setWorldStage(openSample());

/** The same with the real data. */
export const setDataStage = (): Promise<SearchStage> =>
  setWorldStage(openWorld('data', (env) => importAndIndex(realData, env)));

async function setWorldStage(opening: Promise<World>): Promise<SearchStage> {
  await using resources = new AsyncDisposableStack();
  const { env } = resources.use(await opening);
  const stage = await searchStage(resources, env);
  const owned = resources.move();
  return { ...stage, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

export function openSample(): Promise<World> {
  return openWorld('sample', async (env) => {
    const folder = mkdtempSync(join(tmpdir(), 'entity-search-sample-'));
    try {
      await writeSample(folder, SAMPLE_DEFAULTS);
      await importAndIndex(folder, env);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

async function importAndIndex(folder: string, env: World['env']): Promise<void> {
  await succeed(env, 'import', folder);
  await succeed(env, 'reindex');
  const client = createTestClient();
  await client.indices.refresh({ index: `${env.INDEX_PREFIX}*` });
  await client.close();
}

export async function findWith(api: Api, query: string): Promise<Found> {
  const response = await api.keyed(`/api/v1/search?${query}`);
  const body = (await response.json()) as { readonly data: Found };
  if (response.status !== 200) throw new Error(`${query}: ${response.status} ${JSON.stringify(body)}`);
  return body.data;
}

export function keyOf({ entity_type, id }: Item): string {
  return `${entity_type}/${id}`;
}
