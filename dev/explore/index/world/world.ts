import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { VerifyLimits } from '../../../../indexer/limits.ts';
import type { KindName } from '../../../../src/kinds/kind.ts';
import { hourMs } from '../../../../src/lib/durations.ts';
import type { IndexSnapshot } from '../../../engines/elasticsearch/snapshots.ts';
import type { PostgresPair } from '../../../engines/postgres/pair.ts';
import { withCommandLimits } from '../../../lib/limits.ts';
import { smallLoads } from '../schedule/load-theme.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { EmbeddingModelName, Interruption, ProviderFault, Step } from '../schedule/step.ts';
import { type Elasticsearch, elasticsearchAt } from './elasticsearch.ts';
import { commandLine, type ProgramEnd, runProgram } from './program.ts';
import type { Copies } from './team-tables.ts';
import { connected, template, viewsTemplate } from './template.ts';

interface RunOptions {
  readonly at?: Interruption | undefined;
  readonly verify?: Partial<VerifyLimits> | undefined;
  readonly model?: EmbeddingModelName | undefined;
  readonly fault?: ProviderFault | undefined;
}

/** A broken invariant; `kind` names it. */
export class ViolationError extends Error {
  readonly kind: ViolationKind;

  constructor(kind: ViolationKind, message: string) {
    super(message);
    this.name = 'ViolationError';
    this.kind = kind;
  }
}

/**
 * - `equal` verify reported an unequal index as equal
 * - `alias` it names no index, several, or one that is not whole
 * - `unequal` at rest an index differs from the tables, and it is not halted
 * - `halted` at rest, and it is not repaired
 * - `letter` for a document that Elasticsearch takes
 * - `settled` the settled position is beyond the position
 * - `unprunable` entries stay in the log that no reader needs
 * - `copy` a copy that follows the removals has something else
 * - `vector` one that is not of its text, or missing where none ought to be
 * - `refused` an action that ought to be possible
 * - `stuck` a program does not end
 */
export type ViolationKind =
  | 'equal'
  | 'alias'
  | 'unequal'
  | 'halted'
  | 'letter'
  | 'settled'
  | 'unprunable'
  | 'vector'
  | 'copy'
  | 'refused'
  | 'stuck';

export interface StoredIndex {
  readonly id: number;
  readonly kind: KindName;
  readonly number: number;
  readonly indexName: string;
  readonly documentSql: string;
  readonly state: string;
  readonly halted: string | null;
  /** Live, or one of the GENERATIONS_KEPT that were live last. */
  readonly kept: boolean;
}

type WorldOptions = Pick<Schedule, 'kinds' | 'embeddings' | 'smallLoads' | 'views'>;

/** Generations before the live one that rollback may use, and that are followed. */
const generationsKept = 2;

/** The world of one schedule: a database, a prefix, and the events so far. */
export class World implements AsyncDisposable {
  readonly pair: PostgresPair;
  readonly elasticsearchUrl: string;
  readonly elasticsearch: Elasticsearch;
  readonly kinds: readonly KindName[];
  readonly embeddings: boolean;
  readonly views: boolean;
  readonly copies: Copies = new Map();
  readonly #loads: typeof smallLoads | undefined;
  readonly database: string;
  readonly prefix: string;
  readonly transactions = new Map<number, pg.Client>();
  readonly prepared = new Set<number>();
  /** Manual changes that were not reverted. They excuse their objects until the schedule's end. */
  readonly manualChanges = new Set<string>();
  /** Copies of indices, as a snapshot has them. */
  readonly snapshots = new Map<KindName, IndexSnapshot>();
  readonly poisoned = new Set<string>();
  readonly spoiled = new Set<string>();
  /** The index of each alias at the last check. */
  readonly aliases = new Map<KindName, string>();
  /** Something is written while a program runs. */
  writtenMeanwhile = false;
  /** Something was written that no trigger saw. */
  unnoted = false;
  serial = 0;
  trace: (line: string) => void = () => undefined;
  perform: (steps: readonly Step[]) => Promise<void> = async () => undefined;

  private constructor(pair: PostgresPair, elasticsearchUrl: string, options: WorldOptions) {
    this.#loads = options.smallLoads ? smallLoads : undefined;
    this.pair = pair;
    this.elasticsearchUrl = elasticsearchUrl;
    this.elasticsearch = elasticsearchAt(elasticsearchUrl);
    this.kinds = options.kinds;
    this.embeddings = options.embeddings ?? false;
    this.views = options.views ?? false;
    const name = randomBytes(5).toString('hex');
    this.database = `model_${name}`;
    this.prefix = `m${name}-`;
  }

  /** A database with a few rows of every kind, and an index of each of these kinds. */
  static async make(pair: PostgresPair, elasticsearchUrl: string, options: WorldOptions): Promise<World> {
    const world = new World(pair, elasticsearchUrl, options);
    await world.#makeDatabase(world.database);
    const { code, err } = await world.run(['reindex', ...options.kinds]);
    if (code !== 0) throw new Error(`The first reindex ended with code ${code}. ${err}`);
    return world;
  }

  /** The environment of programs: addresses, and limits with which they end soon. */
  env(verify: Partial<VerifyLimits> = {}): Readonly<Record<string, string>> {
    const settings = {
      INDEX_PREFIX: this.prefix,
      GENERATIONS_KEPT: String(generationsKept),
      REINDEX_REQUESTS: this.#loads === undefined ? '4' : '2',
      LOG_LEVEL: 'info',
    };
    return withCommandLimits(settings, {
      verify: { waitMs: 300, ...verify },
      retireAfterMs: 24 * hourMs,
      sync: { pollMs: 20, roundPauseMs: 0, requestTimeoutMs: 5_000, repairedSharePercent: 100 },
      reindex: { requestTimeoutMs: 5_000, giveUpAfterMs: 200, ...this.#loads },
      embeddings: {
        batchSize: 3,
        windowRows: 4,
        attempts: 2,
        firstPauseMs: 10,
        longestPauseMs: 20,
        idleMs: 10,
        scanPauseMs: 20,
      },
    });
  }

  /** Runs `entity-search` to its end, or until it is killed. */
  run(args: readonly string[], options: RunOptions = {}): Promise<ProgramEnd> {
    return this.runWork(`entity-search ${args.join(' ')}`, commandLine(args), options);
  }

  async runWork(name: string, work: Parameters<typeof runProgram>[1], options: RunOptions = {}): Promise<ProgramEnd> {
    const environment = {
      elasticsearch: this.elasticsearchUrl,
      databaseUrl: this.pair.url(this.database),
      env: this.env(options.verify),
      embeddings: this.embeddings ? { model: options.model ?? 'first', fault: options.fault } : undefined,
      perform: (steps: readonly Step[]) => this.perform(steps),
    };
    const end = await runProgram(name, work, environment, options.at);
    const last = end.err.trim().split('\n').at(-1) ?? '';
    this.trace(
      `    ${name}: ${end.code ?? 'killed'}${options.at && !end.interrupted ? ', not interrupted' : ''} ${last}`,
    );
    return end;
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.pair.url(this.database), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    await client.query(`set lock_timeout = '150ms'`);
    return client;
  }

  async withClient<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = await this.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.withClient(async (client) => (await client.query<Row>(text, [...values])).rows);
  }

  /** Generations whose index has not been removed, of the kinds of this world. */
  async generations(): Promise<readonly StoredIndex[]> {
    return this.query<StoredIndex>(
      `select id::int, kind, number, index_name as "indexName", document_sql as "documentSql", state, halted,
              state in ('live', 'retired')
                and row_number() over (partition by kind order by state = 'live' desc, state = 'retired' desc,
                                                                  retired_at desc nulls last, number desc) <= $2 + 1 as kept
       from search_generations where ended_at is null and kind = any($1) order by kind, number`,
      [this.kinds, generationsKept],
    );
  }

  async live(kind: KindName): Promise<readonly string[]> {
    const { status, body } = await this.elasticsearch<object>('GET', `/_alias/${this.prefix}${kind}`);
    return status === 200 ? Object.keys(body).sort() : [];
  }

  /** A second database, with other rows, whose programs use the same prefix. */
  async runOther(args: readonly string[]): Promise<ProgramEnd> {
    const name = `${this.database}_other`;
    const known = await this.query('select from pg_database where datname = $1', [name]);
    if (known.length === 0) {
      await this.#makeDatabase(name);
      // One that was migrated by itself, unlike a copy, has an identity of its own.
      const identify = 'delete from search_owner; insert into search_owner default values';
      await connected(this.pair.url(name), (client) => client.query(identify));
    }
    const environment = {
      elasticsearch: this.elasticsearchUrl,
      databaseUrl: this.pair.url(name),
      env: this.env(),
      embeddings: undefined,
      perform: async () => undefined,
    };
    return runProgram(
      `entity-search ${args.join(' ')}, from another database`,
      commandLine(args),
      environment,
      undefined,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.transactions.values()) await client.end().catch(() => undefined);
    for (const snapshot of this.snapshots.values()) await snapshot.remove();
    const { body } = await this.elasticsearch<object>('GET', `/${this.prefix}*/_settings?expand_wildcards=all`);
    for (const index of Object.keys(body ?? {})) await this.elasticsearch('DELETE', `/${index}`);
    await connected(this.pair.url('postgres'), async (client) => {
      for (const number of this.prepared) await rollbackPrepared(this, number);
      const { rows } = await client.query<{ name: string }>(
        'select datname as name from pg_database where datname like $1',
        [`${this.database}%`],
      );
      for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
    });
  }

  async #makeDatabase(name: string): Promise<void> {
    await connected(this.pair.url('postgres'), (client) =>
      client.query(`create database ${name} template ${this.views ? viewsTemplate : template} strategy file_copy`),
    );
  }
}

async function rollbackPrepared(world: World, number: number): Promise<void> {
  await world.query(`rollback prepared 'tx-${world.database}-${number}'`).catch(() => undefined);
}
