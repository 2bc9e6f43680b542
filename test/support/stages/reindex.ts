import type pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { merged } from '../../../dev/lib/limits.ts';
import { type ReindexConfig, reindexConfig } from '../../../indexer/config.ts';
import { defaultLimits, type Limits } from '../../../indexer/limits.ts';
import type { ReindexMode, ReindexObserver } from '../../../indexer/reindex/observer.ts';
import { type ReindexReport, reindexKinds } from '../../../indexer/reindex/reindex.ts';
import { createWriteContext } from '../../../indexer/write/write-context.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { createTestClient, createTestIndices, type TestIndices } from '../engines/indices.ts';
import { testPool } from '../engines/pool.ts';
import { openFilledDatabase } from '../engines/worlds.ts';

export const companyCount = 500;

interface RunOptions {
  readonly kinds?: readonly KindName[];
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Limits;
  readonly config?: Partial<ReindexConfig>;
  readonly allowedDeadLetters?: number;
  readonly mode?: ReindexMode;
  /** The address of Elasticsearch; by default without a proxy. */
  readonly url?: string;
  readonly signal?: AbortSignal;
  readonly observer?: Partial<ReindexObserver>;
}

/** A database with entities and a part of the cluster, for reindexing in this process. */
export interface ReindexStage extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly indices: TestIndices;
  /** The environment of programs, with all addresses. */
  readonly env: Readonly<Record<'DATABASE_URL' | 'ELASTICSEARCH_URL' | 'INDEX_PREFIX', string>>;
  /** The notes of the last run. */
  readonly notes: string[];
  run(options?: RunOptions): Promise<readonly ReindexReport[]>;
  /** Returns a kind's rows of search_generations, by number. */
  generations(kind: KindName): Promise<readonly StoredGeneration[]>;
  /** Returns columns of the row of a kind's live generation. */
  liveRow<Row extends object = { readonly id: number }>(kind: KindName, columns?: string): Promise<Row>;
  /** Returns the indices of a kind's alias. */
  live(kind: KindName): Promise<readonly string[]>;
}

interface StoredGeneration {
  readonly index_name: string;
  readonly state: string;
  readonly rows_read: number;
  readonly last_error: string | null;
  readonly has_position: boolean;
  readonly ended: boolean;
}

export async function setReindexStage(companies = companyCount): Promise<ReindexStage> {
  const database = await openFilledDatabase(`companies_${companies}`, (url) =>
    withClient(url, (client) => fill(client, companies)),
  );
  const pool = testPool(database.url, 12);
  const indices = createTestIndices();
  const notes: string[] = [];
  return {
    databaseUrl: database.url,
    pool,
    indices,
    env: { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix },
    notes,
    run: (options = {}) => run(pool, indices, notes, options),
    generations: (kind) => listGenerations(pool, kind),
    async liveRow<Row extends object>(kind: KindName, columns = 'id') {
      const sql = `select ${columns} from search_generations where kind = $1 and state = 'live'`;
      const [row] = (await pool.query<Row>(sql, [kind])).rows;
      if (row === undefined) throw new Error(`no live generation of ${kind}`);
      return row;
    },
    live: async (kind) => {
      const alias = `${indices.prefix}${kind}`;
      const found = await indices.client.indices.getAlias({ name: alias }, { ignore: [404] });
      return Object.keys(found).filter((index) => index.startsWith(indices.prefix));
    },
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await indices[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function run(
  pool: pg.Pool,
  indices: TestIndices,
  notes: string[],
  options: RunOptions,
): Promise<readonly ReindexReport[]> {
  // Removed immediately, so that a test sees which ones.
  const limits = options.limits ?? merged(defaultLimits, { retireAfterMs: 0 });
  const config = { ...reindexConfig(options.env ?? {}, limits), ...options.config };
  const client = createTestClient(options.url);
  notes.length = 0;
  try {
    return await reindexKinds(
      {
        ...createWriteContext(pool, client, config),
        indexPrefix: indices.prefix,
        applicationName: 'entity-search reindex, test:1',
        mode: options.mode ?? 'anew',
        rules: { allowedDeadLetters: options.allowedDeadLetters ?? 0 },
        observer: {
          onStart: () => undefined,
          onState: () => undefined,
          onProgress: () => undefined,
          onRound: () => undefined,
          onNote: (kind, text) => void notes.push(`${kind}: ${text}`),
          ...options.observer,
        },
      },
      options.kinds ?? ['companies'],
      options.signal ?? new AbortController().signal,
    );
  } finally {
    await client.close();
  }
}

async function fill(client: pg.Client, companies: number): Promise<void> {
  await client.query(
    `insert into companies (id, name, slug, overview, tags, founded_date, total_funding_usd)
     select n, 'Company ' || n, 'company-' || n, 'Überblick of company ' || n || E',\\nin two lines', '{Ledgers}',
            date '2001-02-03' + n::int, n * 1000.5
     from generate_series(1, ${companies}) as n`,
  );
  await client.query(
    `insert into people (id, name, slug) select n, 'P ' || n, 'p-' || n from generate_series(1, 40) as n`,
  );
  await client.query(
    `insert into roles (person_id, position, title, company_id) select n, 0, 'Founder', n from generate_series(1, 40) as n`,
  );
  await client.query(
    `insert into investors (id, name, slug) select n, 'I ' || n, 'i-' || n from generate_series(1, 30) n`,
  );
  await client.query('analyze');
}

async function listGenerations(pool: pg.Pool, kind: KindName): Promise<readonly StoredGeneration[]> {
  const { rows } = await pool.query<StoredGeneration>(
    `select index_name, state, rows_read, last_error,
            position is not null as has_position, ended_at is not null as ended
     from search_generations where kind = $1 order by number`,
    [kind],
  );
  return rows;
}
