import type { Pool } from 'pg';
import { z } from 'zod';
import { type KindName, kindNames } from '../kinds/kind.ts';
import { kinds } from '../kinds/registry.ts';
import type { Identifiers } from '../records/identifiers.ts';
import { type EntityStore, type Fetched, mapFetched } from '../records/ports.ts';
import { byIndex } from './by-index.ts';
import { removalRows, removalsSql, toRemovalPage } from './removals.ts';

/** Longer than the server's own timeout: a server that is silent for longer is unreachable. */
const silenceMs = 1_000;

const found = z.array(z.object({ id: z.int(), slug: z.string() }));
const foundRecords = z.array(z.object({ id: z.int(), slug: z.string(), json: z.string() }));
const foundRelated = z.array(
  z.object({ kind: z.enum(kindNames), id: z.int(), name: z.string(), slug: z.string(), date: z.string().nullable() }),
);

/** SQLSTATE classes and codes of a server that is unavailable. */
const unreachableStates = /^(?:08|28|3D|53|57P0[1-5])/;
const statementTimedOut = '57014';

/**
 * Reads entities from Postgres with each kind's own SQL.
 * @param timeoutMs the pool's statement timeout
 */
export function createEntityStore(pool: Pool, timeoutMs: number): EntityStore {
  const limits = { query_timeout: timeoutMs + silenceMs };

  const query = <Rows>(rows: z.ZodType<Rows>, name: string, text: string, values: unknown[]) =>
    fetchRows(rows, () => pool.query<object>({ name, text, values, ...limits }));

  /**
   * Reads records of a view again, by index only. A scan evaluates the view's conditions for every row, so an unrelated
   * row that can't be read may have failed the first statement.
   */
  function byId(kind: KindName, ids: readonly number[]) {
    const text = `${selectRecords(kind)} where ${kinds[kind].sql.id} = any($1::bigint[])`;
    return fetchRows(foundRecords, () =>
      byIndex(pool, (client) => client.query<object>({ text, values: [ids], ...limits })),
    );
  }

  /** Returns the stored id of an entity of a view, by its id or slug. */
  async function idsOf(kind: KindName, id: number | null, slug: string): Promise<readonly number[]> {
    if (id !== null) return [id];
    const stored = z.array(z.object({ id: z.int() }));
    const text =
      'select id from source_entities where kind = $1 and slug = $2 and shown is not null order by id limit 1';
    const fetched = await query(stored, 'stored slug', text, [kind, slug]);
    return fetched.ok ? fetched.value.map((one) => one.id) : [];
  }

  return {
    async record(kind, { id, slug }) {
      const { sql } = kinds[kind];
      const fetched = await query(
        foundRecords,
        `record of ${kind}`,
        `${selectRecords(kind)} where ${sql.id} = $1 or ${sql.slug} = $2 order by ${sql.id} is distinct from $1 limit 1`,
        [id, slug],
      );
      const found = isFailed(fetched) ? await byId(kind, await idsOf(kind, id, slug)) : fetched;
      return mapFetched(found, ([first]) => first ?? null);
    },
    async records(kind, wanted) {
      const { sql } = kinds[kind];
      const fetched = await query(
        foundRecords,
        `records of ${kind} by ${wanted.by}`,
        `${selectRecords(kind)} where ${sql[wanted.by]} = any($1::${arrayType(wanted)})`,
        [wanted.values],
      );
      return isFailed(fetched) && wanted.by === 'id' ? byId(kind, wanted.values) : fetched;
    },
    existing: (kind, wanted) =>
      query(
        found,
        `existing ${kind} by ${wanted.by}`,
        // Reads the kind's table, because the kind's `from` also builds columns that only records need.
        `select id, slug from ${kind} where ${wanted.by} = any($1::${arrayType(wanted)})`,
        [wanted.values],
      ),
    async related(kind, id, limit) {
      const text = relatedSql[kind];
      if (text === null) return { ok: true, value: [] };
      return query(foundRelated, `related to ${kind}`, text, [id, limit]);
    },
    async removals(kind, after, limit) {
      const values = [kind, after?.number ?? null, limit + 1];
      const fetched = await query(removalRows, 'removals', removalsSql, values);
      return mapFetched(fetched, (rows) => toRemovalPage(rows, after, limit));
    },
  };
}

async function fetchRows<Rows>(rows: z.ZodType<Rows>, ask: () => Promise<{ readonly rows: readonly object[] }>) {
  try {
    return { ok: true, value: rows.parse((await ask()).rows) } as const;
  } catch (cause) {
    return { ok: false, reason: reasonOf(cause), cause } as const;
  }
}

function selectRecords(kind: KindName): string {
  const { sql } = kinds[kind];
  return `select ${sql.id} as id, ${sql.slug} as slug, ${sql.record}::text as json from ${sql.from}`;
}

const isFailed = (fetched: Fetched<unknown>): boolean => !fetched.ok && fetched.reason === 'failed';

function arrayType({ by }: Identifiers): string {
  return by === 'id' ? 'bigint[]' : 'text[]';
}

/** The connection stays usable only if the server itself reported the statement's failure. */
function reasonOf(cause: unknown): 'unreachable' | 'timeout' | 'failed' {
  if (cause instanceof z.ZodError) return 'failed';
  if (!(cause instanceof Error) || !('severity' in cause) || !('code' in cause)) return 'unreachable';
  const state = String(cause.code);
  if (state === statementTimedOut) return 'timeout';
  return unreachableStates.test(state) ? 'unreachable' : 'failed';
}

/**
 * The entities related to those of each kind: id, name, slug, and the first day of events, of at most $2 entities of
 * each other kind, for the entity with the id $1. Null if the record itself lists them all with their slugs.
 */
const relatedSql: Readonly<Record<KindName, string | null>> = {
  companies: `
    (select 'people' as kind, p.id, p.name, p.slug, null as date from people p
     where p.id in (select person_id from roles where company_id = $1
                    union select person_id from person_companies where company_id = $1)
     order by p.name, p.id limit $2)
    union all
    (select 'investors', i.id, i.name, i.slug, null from investors i
     where i.id in (select investor_id from company_investors where company_id = $1
                    union select investor_id from investor_portfolio where company_id = $1)
     order by i.name, i.id limit $2)`,
  people: `
    (select 'companies' as kind, c.id, c.name, c.slug, null as date from companies c
     where c.id in (select company_id from roles where person_id = $1
                    union select company_id from person_companies where person_id = $1)
     order by c.name, c.id limit $2)
    union all
    (select 'events', e.id, e.name, e.slug, e.start_date::text from events e
     where e.id in (select event_id from event_people where person_id = $1)
     order by e.start_date desc nulls last, e.name, e.id limit $2)`,
  investors: null,
  events: `
    select 'people' as kind, p.id, p.name, p.slug, null as date from people p
    where p.id in (select person_id from event_people where event_id = $1)
    order by p.name, p.id limit $2`,
};
