import pg from 'pg';
import { migrate } from '../../../src/schema/migrate.ts';
import { triggerScript } from '../../../src/schema/sources/triggers.ts';
import { withClient } from '../../engines/postgres/client.ts';
import type { Measured } from '../figures.ts';
import { inTurn, measuredIn } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const writersCount = 4;
const tables = ['companies', 'company_investors'] as const;
const triggers = ['log_insert', 'log_update', 'log_delete', 'log_truncate'] as const;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const { signal } = setup;
  await using database = await setup.scratch(await setup.database(setup.rows), 'writers');
  const maxId = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ min: number; max: number }>(
      'select min(id)::int as min, max(id)::int as max from companies',
    );
    return rows[0] ?? { min: 1, max: 1 };
  });
  const writers = new Writers(database.url, maxId, signal);
  const write = async (logged: boolean) => {
    await withClient(database.url, (client) => switchTriggers(client, logged));
    return { value: await writers.perSecond(setup.options.seconds) };
  };
  await write(true);
  const sides = await inTurn(setup.options.rounds, { subject: () => write(true), floor: () => write(false) }, signal);
  yield {
    bench: 'writers',
    unit: 'inserts and updates/s',
    rows: database.rows,
    ...measuredIn(sides),
    sides: { subject: `${writersCount} writers, changes logged`, floor: 'the same without triggers' },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 0.85 }],
  };
  yield* runTeam(setup);
}

async function switchTriggers(client: pg.Client, on: boolean): Promise<void> {
  for (const table of tables) {
    for (const trigger of triggers) {
      await client.query(`alter table ${table} ${on ? 'enable always' : 'disable'} trigger ${trigger}`);
    }
  }
}

class Writers {
  readonly #url: string;
  readonly #ids: { readonly min: number; readonly max: number };
  readonly #signal: AbortSignal;
  #serial = 0;

  constructor(url: string, ids: { readonly min: number; readonly max: number }, signal: AbortSignal) {
    this.#url = url;
    this.#ids = ids;
    this.#signal = signal;
  }

  /** Each writer inserts a company and changes another, in turn, one transaction a statement. */
  async perSecond(seconds: number): Promise<number> {
    const clients = Array.from({ length: writersCount }, () => new pg.Client({ connectionString: this.#url }));
    await Promise.all(clients.map((client) => client.connect()));
    try {
      const startedMs = performance.now();
      const untilMs = startedMs + seconds * 1_000;
      const done = await Promise.all(clients.map((client) => this.#write(client, untilMs)));
      return done.reduce((sum, one) => sum + one, 0) / ((performance.now() - startedMs) / 1_000);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  }

  async #write(client: pg.Client, untilMs: number): Promise<number> {
    let done = 0;
    const { min, max } = this.#ids;
    while (performance.now() < untilMs) {
      this.#signal.throwIfAborted();
      this.#serial += 1;
      const serial = this.#serial;
      if (done % 2 === 0) {
        await client.query({
          name: 'insert',
          text: `insert into companies (id, name, slug, overview) values ($1, $2, $3, $4)`,
          values: [max + serial, `Written ${serial}`, `written-${serial}`, `Text number ${serial} about nothing.`],
        });
      } else {
        // A stride that visits all ids before any id again, because 7919 is prime.
        const id = min + ((serial * 7_919) % (max - min + 1));
        await client.query({
          name: 'update',
          text: 'update companies set tagline = $2, updated_at = now() where id = $1',
          values: [id, `Changed for the ${serial}th time`],
        });
      }
      done += 1;
    }
    return done;
  }
}

/** A team's tables behind views, with the keys, columns and joins of docs/existing-database.md. */
const teamTables = `
  create schema crm; create schema search_source;
  create table crm.country (code text primary key, name text);
  create table crm.org (id uuid primary key default gen_random_uuid(), legal_name text, profile jsonb, country_code text,
                        deleted_at timestamptz);
  insert into crm.org (legal_name, profile, country_code)
  select 'Org ' || n, jsonb_build_object('claim', repeat('x', 200)), 'CH' from generate_series(1, 20000) as n;
  create view search_source.companies as
  select o.id as key, o.legal_name as name, o.id::text as slug, o.profile ->> 'claim' as tagline, c.name as country
  from crm.org o left join crm.country c on c.code = o.country_code where o.deleted_at is null;`;

const teamUpdates = [
  { figure: '20,000 rows behind a view', rows: 20_000, times: 1, where: '', goal: { of: 'ratio', atMost: 1.3 } },
  {
    figure: 'a row behind a view',
    rows: 1,
    times: 300,
    where: 'where id = (select id from crm.org limit 1)',
    goal: { of: 'difference', atMost: 0.3 },
  },
] as const;

/** Updates a team's table with triggers and without, one transaction each, after the same VACUUM. */
async function* runTeam(setup: BenchSetup): AsyncGenerator<Measured> {
  await using database = await setup.scratch(await setup.database(1_000), 'team');
  await withClient(database.url, async (client) => {
    // The views replace our own table, which must be empty.
    await client.query(`truncate companies cascade; ${teamTables}`);
    await migrate(database.url, () => undefined);
    await client.query(await triggerScript(client));
  });
  for (const { figure, rows, times, where, goal } of teamUpdates) {
    const update = async (noted: boolean) =>
      withClient(database.url, async (client) => {
        await client.query(`alter table crm.org ${noted ? 'enable' : 'disable'} trigger user`);
        await client.query('vacuum analyze crm.org');
        const startedMs = performance.now();
        for (let nth = 0; nth < times; nth += 1) {
          await client.query(`update crm.org set legal_name = $1 || id ${where}`, [`Written ${nth} `]);
        }
        return { value: (performance.now() - startedMs) / times };
      });
    await update(true);
    const turns = { subject: () => update(true), floor: () => update(false) };
    const sides = await inTurn(setup.options.rounds, turns, setup.signal);
    yield {
      bench: 'writers',
      figure,
      unit: 'ms',
      rows,
      ...measuredIn(sides),
      sides: { subject: 'an update, its rows noted', floor: 'the same without triggers' },
      better: 'lower',
      goals: [goal],
    };
  }
}

export const writers: BenchGroup = { names: ['writers'], run };
