import type pg from 'pg';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { type Dependency, dependencies } from '../../src/kinds/relations.ts';

// Reads the change log. A position is a snapshot; the entries between two positions are those of transactions that only
// the second snapshot sees. The order of `seq` is not the order of commits.

/** One entry about documents of the reader's kind; `id` is null if the whole kind changed. */
export interface Change {
  readonly xid: string;
  readonly seq: number;
  readonly id: number | null;
  readonly what: 'row' | 'references' | 'truncate' | 'all' | 'vector';
  /** The kind of an entity that documents show; null unless `what` is `references`. */
  readonly entity: KindName | null;
  readonly model: string | null;
}

/** A place in the order in which entries are read: by transaction, then in the order of appending. */
export interface LogOffset {
  readonly xid: string;
  readonly seq: number;
}

export interface ChangesOptions {
  /** Entries about the documents of a kind, or notes. */
  readonly reader: KindName | 'sources';
  /** Two `pg_snapshot`s as text: entries that the first does not see and the second does. */
  readonly from: string;
  readonly to: string;
  readonly after?: LogOffset | undefined;
  readonly chunkSize: number;
}

export interface ScannedChanges<Entry = Change> {
  /** May be empty. */
  readonly changes: readonly Entry[];
  /** The place of the last scanned entry: every entry up to here was yielded. */
  readonly place: LogOffset;
  readonly isLast: boolean;
}

const changeFields = 'id, what, entity, model';
export const noteFields = 'what, entity, columns, keys';

// Reads transactions that were under way at `from` and have ended by `to`, and those that began later. Both branches use
// the index by kind, so a chunk costs what it returns: a busy kind next to a quiet one costs nothing, nor does an old
// transaction that stays open. The last scanned entry is always returned: its place shows how far the statement read.
// The fields are the two lists above.
// nosemgrep: no-values-in-sql
const chunkSql = (fields: string): string => `
  with ended as (
    select xid from pg_snapshot_xip($2::pg_snapshot) as under_way (xid)
    where pg_visible_in_snapshot(xid, $3::pg_snapshot) and xid >= $4::xid8
  ), place as (
    select greatest($4::xid8, pg_snapshot_xmax($2::pg_snapshot)) as xid,
           case when $4::xid8 >= pg_snapshot_xmax($2::pg_snapshot) then $5::bigint else 0 end as seq
  ), entries as (
    select *, row_number() over (order by xid, seq) as number, count(*) over () as scanned from (
      (select xid, seq, ${fields} from search_changes
       where kind = $1 and (xid, seq) > ((select xid from place), (select seq from place))
         and xid < pg_snapshot_xmax($3::pg_snapshot)
       order by xid, seq limit $6)
      union all
      (select entry.* from ended cross join lateral (
         select xid, seq, ${fields} from search_changes
         where kind = $1 and xid = ended.xid and seq > case when ended.xid = $4::xid8 then $5::bigint else 0 end
         order by seq limit $6) as entry)
      order by xid, seq limit $6
    ) as looked_at
  )
  select xid::text as xid, seq, ${fields}, scanned, visible from (
    select *, pg_visible_in_snapshot(xid, $3::pg_snapshot) as visible from entries
  ) as judged
  where visible or number = scanned
  order by number`;

/** Yields the new entries, each once, in chunks of one statement each. */
export async function* scanChanges<Entry extends LogOffset = Change>(
  pool: pg.Pool | pg.ClientBase,
  options: ChangesOptions,
  fields = changeFields,
): AsyncGenerator<ScannedChanges<Entry>, void, undefined> {
  const { reader, from, to, chunkSize } = options;
  let after: LogOffset = options.after ?? { xid: '0', seq: 0 };
  for (;;) {
    const { rows } = await pool.query<Entry & { readonly scanned: number; readonly visible: boolean }>({
      name: `scan-${fields}`,
      text: chunkSql(fields),
      values: [reader, from, to, after.xid, after.seq, chunkSize],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    after = { xid: last.xid, seq: last.seq };
    const isLast = last.scanned < chunkSize;
    yield { changes: rows.filter(({ visible }) => visible), place: after, isLast };
    if (isLast) return;
  }
}

// Documents show ids, names and slugs of other entities. A trigger cannot find all documents that show an entity,
// because it does not see uncommitted relations of other transactions. So the reader searches for them in its own,
// later snapshot; a relation committed after that has its own entry.

/** Entities that changed, whose dependants must be read again. */
export interface DependantLookup {
  readonly relations: readonly Dependency[];
  readonly ids: readonly number[];
}

export interface AffectedDocuments {
  readonly ids: readonly number[];
  /** Those of `ids` with a change of the vector only. */
  readonly vectorsOnly: ReadonlySet<number>;
  /** Changed entities whose documents `dependantPages` finds. */
  readonly lookups: readonly DependantLookup[];
  /** The table was emptied: orphaned documents must be searched for. */
  readonly truncated: boolean;
  /** Every document of the kind must be read again. */
  readonly everything: boolean;
}

/** A reader of the log. Its documents hold vectors of one model only. */
export interface LogReader {
  readonly kind: KindName;
  readonly embeddingModel: string | null;
}

/** Sorts a chunk's entries by their meaning to a reader. Pure. */
export function affectedDocuments(
  { kind: reader, embeddingModel }: LogReader,
  changes: readonly Change[],
): AffectedDocuments {
  const rows = new Set(changes.flatMap(({ id, what }) => (what === 'row' ? (id ?? []) : [])));
  const vectors = changes.flatMap(({ id, what, model }) =>
    what === 'vector' && model === embeddingModel ? (id ?? []) : [],
  );
  const vectorsOnly = new Set(vectors.filter((id) => !rows.has(id)));
  const lookups = kindNames.flatMap((kind) => {
    const ids = new Set(changes.flatMap(({ entity, id }) => (entity === kind ? (id ?? []) : [])));
    return ids.size === 0 ? [] : [{ relations: dependencies(reader, kind), ids: [...ids] }];
  });
  return {
    ids: [...rows, ...vectorsOnly],
    vectorsOnly,
    lookups,
    truncated: changes.some(({ what }) => what === 'truncate'),
    everything: changes.some(({ what }) => what === 'all'),
  };
}

/** Changed entities in one query: each is one index lookup per page. */
const entitiesPerGroup = 200;
/** Dependants held in memory: a single company may have a million people. */
const dependantsPerPage = 5_000;

/**
 * Yields the ids of the documents that show one of the entities, page by page, ascending for each group of entities and
 * relation; an id may be repeated. Each page is one statement: changes between two of them have their own entries.
 */
export async function* dependantPages(
  pool: pg.Pool,
  lookups: readonly DependantLookup[],
  pageSize = dependantsPerPage,
): AsyncGenerator<readonly number[], void, undefined> {
  for (const { relations, ids } of lookups) {
    for (let at = 0; at < ids.length; at += entitiesPerGroup) {
      const group = ids.slice(at, at + entitiesPerGroup);
      for (const relation of relations) yield* pagesOf(pool, relation, group, pageSize);
    }
  }
}

async function* pagesOf(
  pool: pg.Pool,
  { table, document, entity }: Dependency,
  group: readonly number[],
  pageSize: number,
): AsyncGenerator<readonly number[], void, undefined> {
  // One index lookup per entity, which returns its first dependants in order. The names come from the kinds.
  // nosemgrep: no-values-in-sql
  const text = `
    select distinct dependant.id
    from unnest($1::bigint[]) as changed (id)
    cross join lateral (
      select distinct ${document} as id from ${table}
      where ${entity} = changed.id and ${document} > $2
      order by ${document} limit $3
    ) as dependant
    order by dependant.id limit $3`;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { rows }: pg.QueryArrayResult<[number]> = await pool.query({
      name: `dependants-${table}-${document}`,
      text,
      values: [group, after, pageSize],
      rowMode: 'array',
    });
    if (rows.length > 0) yield rows.map(([id]) => id);
    after = rows.length < pageSize ? undefined : rows.at(-1)?.[0];
  }
}
