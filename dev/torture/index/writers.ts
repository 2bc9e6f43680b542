import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Random, seededRandom } from '../random.ts';

// Programs that write in typical ways: short and long transactions, savepoints, rollbacks, many rows at a time, renames
// of referenced entities, and changes of relations and ids.

export interface WriterOptions {
  readonly databaseUrl: string;
  readonly seed: number;
  readonly writers: number;
  readonly changesPerSecond: number;
  readonly ids: number;
}

export interface WriterCounts {
  commits: number;
  rollbacks: number;
  /** Connections that broke under a writer. */
  losses: number;
}

const kinds = ['companies', 'people', 'investors', 'events'] as const;
/** Expected failures: deadlocks, a slug that is taken, a missing row. */
const expected = new Set(['40P01', '40001', '23505', '23503', '55P03', '57014']);

export const noWrites = (): WriterCounts => ({ commits: 0, rollbacks: 0, losses: 0 });

/**
 * Writes until the signal aborts; every writer ends its transaction before it resolves.
 * @param counts grow with each transaction
 */
export async function runWriters(
  options: WriterOptions,
  signal: AbortSignal,
  counts = noWrites(),
): Promise<WriterCounts> {
  const numbers = Array.from({ length: options.writers }, (_, at) => at);
  await Promise.all(numbers.map((number) => new Writer(options, number, counts).run(signal)));
  return counts;
}

class Writer {
  readonly #options: WriterOptions;
  readonly #random: Random;
  readonly #counts: WriterCounts;
  #nextId: number;
  #serial = 0;
  readonly #name: string;

  constructor(options: WriterOptions, number: number, counts: WriterCounts) {
    this.#options = options;
    this.#random = seededRandom(options.seed * 31 + number);
    this.#counts = counts;
    this.#nextId = (number + 1) * 10_000_000 + options.seed * 10_000;
    this.#name = `s${options.seed}w${number}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const client = new pg.Client({ connectionString: this.#options.databaseUrl, connectionTimeoutMillis: 5_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        while (!signal.aborted) await this.#transaction(client, signal);
      } catch {
        // The server is down. Writers continue when it is back.
        this.#counts.losses += 1;
        await delay(200);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }

  async #transaction(client: pg.Client, signal: AbortSignal): Promise<void> {
    const startMs = performance.now();
    const statements = 1 + this.#random.whole(5);
    const isolation = this.#random.chance(0.1) ? 'repeatable read' : 'read committed';
    await client.query(`begin isolation level ${isolation}`);
    try {
      for (let done = 0; done < statements; done += 1) await this.#statement(client);
      if (this.#random.chance(0.02))
        await delay(500 + this.#random.whole(2_000), undefined, { signal }).catch(() => undefined);
      const commits = !this.#random.chance(0.1);
      await client.query(commits ? 'commit' : 'rollback');
      this.#counts[commits ? 'commits' : 'rollbacks'] += 1;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !expected.has(error.code ?? '')) throw error;
      await client.query('rollback');
      this.#counts.rollbacks += 1;
    }
    const dueMs = (1_000 * statements * this.#options.writers) / this.#options.changesPerSecond;
    const restMs = dueMs - (performance.now() - startMs);
    if (restMs > 1) await delay(restMs);
  }

  async #statement(client: pg.Client): Promise<void> {
    const undone = this.#random.chance(0.05);
    if (undone) await client.query('savepoint s');
    const [text, values] = this.#random.pick(this.#choices())();
    await client.query(text, [...values]);
    if (undone) await client.query('rollback to savepoint s');
  }

  #id(): number {
    // Some ids are drawn often: hubs, and rows that two writers change.
    return 1 + this.#random.whole(this.#random.chance(0.2) ? 20 : this.#options.ids);
  }

  #fresh(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  #word(): string {
    this.#serial += 1;
    return `${this.#name}n${this.#serial}`;
  }

  #choices(): readonly [() => Statement, ...(() => Statement)[]] {
    const id = (): number => this.#id();
    const kind = this.#random.pick(kinds);
    const update = (): Statement => [`update ${kind} set overview = $2 where id = $1`, [id(), this.#word()]];
    const rename = (): Statement => {
      const word = this.#word();
      return [`update ${kind} set name = $2, slug = $3 where id = $1`, [id(), `Name ${word}`, word]];
    };
    const insert = (): Statement => {
      const word = this.#word();
      return [`insert into ${kind} (id, name, slug) values ($1, $2, $3)`, [this.#fresh(), `New ${word}`, word]];
    };
    const nothing = (): Statement => [`update ${kind} set overview = overview where id = $1`, [id()]];
    const relate = (): Statement => this.#relate(id);
    return [
      update,
      update,
      update,
      rename,
      insert,
      relate,
      relate,
      relate,
      nothing,
      () => [`update ${kind} set overview = $2 where id between $1 and $1 + 20`, [id(), this.#word()]],
      () => [`delete from ${kind} where id = $1`, [id()]],
      () => [`update ${kind} set id = $2 where id = $1`, [id(), this.#fresh()]],
      () => [
        `update roles set company_id = (select id from companies where id = $2) where person_id = $1`,
        [id(), id()],
      ],
      () => [`delete from roles where company_id = $1`, [id()]],
      () => [
        `delete from ${this.#random.pick(['company_investors', 'investor_portfolio'])} where company_id = $1`,
        [id()],
      ],
      () => [`delete from event_people where person_id = $1`, [id()]],
    ];
  }

  #relate(id: () => number): Statement {
    const position = this.#random.whole(50);
    const both = [id(), position, this.#word(), id()];
    const select = (owner: string, other: string): string =>
      `select a.id, $2::int, $3::text, b.id from ${owner} a, ${other} b where a.id = $1 and b.id = $4 on conflict do nothing`;
    return this.#random.pick<() => Statement>([
      () => [`insert into roles (person_id, position, title, company_id) ${select('people', 'companies')}`, both],
      () => [
        `insert into person_companies (person_id, position, company_slug, company_id) ${select('people', 'companies')}`,
        both,
      ],
      () => [
        `insert into event_people (person_id, position, event_slug, event_id) ${select('people', 'events')}`,
        both,
      ],
      () => [
        `insert into company_investors (company_id, position, investor_name, investor_id) ${select('companies', 'investors')}`,
        both,
      ],
      () => [
        `insert into investor_portfolio (investor_id, position, company_name, company_id) ${select('investors', 'companies')}`,
        both,
      ],
    ])();
  }
}

type Statement = readonly [text: string, values: readonly (string | number)[]];

export async function seedRows(client: pg.Client | pg.Pool, rows: number): Promise<void> {
  for (const kind of kinds) {
    await client.query(
      `insert into ${kind} (id, name, slug, overview)
       select n, 'First ' || n, 'first-' || n, repeat('Words about ' || n || '. ', 10) from generate_series(1, $1::int) as n`,
      [rows],
    );
  }
  const pairs = `generate_series(1, $1::int) as n, generate_series(0, 2) as p`;
  await client.query(
    `insert into roles (person_id, position, title, company_id) select n, p, 'Title', 1 + (n * 7 + p * 13) % $1::int from ${pairs}`,
    [rows],
  );
  await client.query(
    `insert into company_investors (company_id, position, investor_name, investor_id)
     select n, p, 'I' || n, 1 + (n * 11 + p * 17) % $1::int from ${pairs}`,
    [rows],
  );
  await client.query(
    `insert into event_people (person_id, position, event_slug, event_id) select n, p, 'e' || n, 1 + (n * 5 + p) % $1::int from ${pairs}`,
    [rows],
  );
  await client.query('analyze');
}
