import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { SAMPLE_DEFAULTS, writeSample } from '../../../dev/sample/generate.ts';
import { readVocabulary } from '../../../src/config/vocabulary.ts';
import { createSearchPort } from '../../../src/elasticsearch/search-port.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import type { Deps } from '../../../src/ports.ts';
import { loadKnowledge } from '../../../src/search/questions/knowledge-source.ts';
import { type Api, startApi } from '../api/in-process.ts';
import { createTestDatabase } from '../engines/database.ts';
import { createTestIndices, type TestIndices } from '../engines/indices.ts';

export type Item = Readonly<Record<string, unknown>> & { readonly entity_type: string; readonly id: number };

/** `data` of a search's answer. */
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

/** Entities imported and indexed as in production, and the API on the real engines. */
export interface FeaturesStage extends AsyncDisposable {
  readonly api: Api;
  readonly pool: pg.Pool;
  readonly indices: TestIndices;
  /** Another API process's equal, on the same engines. */
  startApi(env?: Readonly<Record<string, string>>): Promise<Api>;
  /** Builds new generations of the kinds from what is in Postgres. */
  reindex(...kinds: readonly KindName[]): Promise<void>;
  /** The same with other settings. */
  reindexWith(more: Readonly<Record<string, string>>, ...kinds: readonly KindName[]): Promise<void>;
  /** The records in Postgres, which the answers are compared with. */
  records(kind: KindName): Promise<readonly Item[]>;
  /** Asks with a query string; anything but 200 is an error. */
  find(query: string): Promise<Found>;
  /** Follows cursors from a query string to the end, one answer at a time. */
  paginate(query: string): AsyncGenerator<Found, void, undefined>;
}

/**
 * @param fill brings in entities: folders to import, and SQL
 * @param meaning settings of embeddings for the indices, and what makes vectors of queries
 */
export async function setFeaturesStage(
  fill: { readonly folders?: readonly string[]; readonly sql?: string },
  meaning: { readonly env?: Readonly<Record<string, string>>; readonly embeddings?: Deps['embeddings'] } = {},
): Promise<FeaturesStage> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase());
  const indices = resources.use(createTestIndices());
  const pool = resources.adopt(new pg.Pool({ connectionString: database.url, max: 2 }), (opened) => opened.end());
  const env = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { code, err } = await entitySearch(args, { ...env, ...more });
    if (code !== 0) throw new Error(`"entity-search ${args.join(' ')}" ended with ${code}: ${err}`);
  };
  for (const folder of fill.folders ?? []) await run(['import', folder]);
  if (fill.sql !== undefined) await pool.query(fill.sql);
  const reindexWith = async (more: Readonly<Record<string, string>>, ...of: readonly KindName[]) => {
    await run(['reindex', ...of], more);
    await indices.client.indices.refresh({ index: `${indices.prefix}*` });
  };
  const reindex = (...of: readonly KindName[]) => reindexWith(meaning.env ?? {}, ...of);
  await reindex();
  const searchPort = createSearchPort(indices.client);
  const vocabulary = readVocabulary();
  const loaded = await loadKnowledge({ indexPrefix: indices.prefix, vocabulary }, (request) =>
    searchPort.search({ ...request, timeoutMs: 30_000 }),
  );
  if (!loaded.ok) throw new Error(`What the data knows could not be read: ${loaded.reason}`, { cause: loaded.cause });
  const { embeddings = null } = meaning;
  const search = { searchPort, vocabulary, knowledge: loaded.knowledge, embeddings };
  const api = resources.use(await startApi({ ...search, env }));
  const find = (query: string) => findWith(api, query);
  const owned = resources.move();
  return {
    api,
    pool,
    indices,
    startApi: async (more = {}) => owned.use(await startApi({ ...search, env: { ...env, ...more } })),
    reindex,
    reindexWith,
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
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The fictional sample, as `npm run demo` has it. */
export async function setSampleStage(): Promise<FeaturesStage> {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-sample-'));
  try {
    await writeSample(folder, SAMPLE_DEFAULTS);
    return await setFeaturesStage({ folders: [folder] });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function findWith(api: Api, query: string): Promise<Found> {
  const response = await api.keyed(`/api/v1/search?${query}`);
  const body = (await response.json()) as { readonly data: Found };
  if (response.status !== 200) throw new Error(`${query}: ${response.status} ${JSON.stringify(body)}`);
  return body.data;
}

/** One key for every entity. */
export function keyOf({ entity_type, id }: Item): string {
  return `${entity_type}/${id}`;
}
