import type pg from 'pg';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { type Dependency, dependencies } from '../../src/kinds/relations.ts';

// Reading the change log. A position is a snapshot; what is new between two of them is decided by transactions, not by
// the order of `seq`, which is not the order of commits.

/** One entry; `id` is null where the whole kind is meant. */
export interface Change {
  readonly xid: string;
  readonly seq: number;
  readonly kind: KindName;
  readonly id: number | null;
  readonly what: 'row' | 'references' | 'truncate' | 'all' | 'vector';
  /** Of a vector: the key of its model. */
  readonly model: string | null;
}

/** A place in the order in which entries are read: by transaction, then in the order of appending. */
export interface LogOffset {
  readonly xid: string;
  readonly seq: number;
}

export interface ChangesOptions {
  readonly reader: KindName;
  /** Two `pg_snapshot`s as text: what the first did not see and the second does. */
  readonly from: string;
  readonly to: string;
  /** Only entries after this place. */
  readonly after?: LogOffset | undefined;
  /** Entries looked at in one statement. */
  readonly chunkSize: number;
}

/** What one statement found. */
export interface ScannedChanges {
  /** The entries that concern the reader; may be none. */
  readonly changes: readonly Change[];
  /** How far it looked: every entry up to here was given out. */
  readonly place: LogOffset;
}

// Transactions that were under way at `from` and have ended by `to`, and those that began later: each part in the order
// of an index that has nothing in it but what concerns the reader, so that a chunk costs what it gives out, and neither
// a busy kind beside a quiet one nor an old transaction that stays open costs anything. The last entry always comes
// along, to tell how far the look went.
const chunkSql = `
  with ended as (
    select xid from pg_snapshot_xip($2::pg_snapshot) as under_way (xid)
    where pg_visible_in_snapshot(xid, $3::pg_snapshot) and xid >= $4::xid8
  ), place as (
    select greatest($4::xid8, pg_snapshot_xmax($2::pg_snapshot)) as xid,
           case when $4::xid8 >= pg_snapshot_xmax($2::pg_snapshot) then $5::bigint else 0 end as seq
  ), entries as (
    select *, row_number() over (order by xid, seq) as number, count(*) over () as scanned from (
      (select xid, seq, kind, id, what, model from search_changes
       where kind = $1 and (xid, seq) > ((select xid from place), (select seq from place))
         and xid < pg_snapshot_xmax($3::pg_snapshot)
       order by xid, seq limit $6)
      union all
      (select entry.* from unnest(search_shown_kinds($1)) as shown (kind) cross join lateral (
         select xid, seq, kind, id, what, model from search_changes
         where what = 'references' and kind = shown.kind
           and (xid, seq) > ((select xid from place), (select seq from place))
           and xid < pg_snapshot_xmax($3::pg_snapshot)
         order by xid, seq limit $6) as entry)
      union all
      (select entry.* from ended cross join lateral (
         select xid, seq, kind, id, what, model from search_changes
         where kind = $1 and xid = ended.xid and seq > case when ended.xid = $4::xid8 then $5::bigint else 0 end
         order by seq limit $6) as entry)
      union all
      (select entry.* from ended cross join unnest(search_shown_kinds($1)) as shown (kind) cross join lateral (
         select xid, seq, kind, id, what, model from search_changes
         where what = 'references' and kind = shown.kind
           and xid = ended.xid and seq > case when ended.xid = $4::xid8 then $5::bigint else 0 end
         order by seq limit $6) as entry)
      order by xid, seq limit $6
    ) as looked_at
  )
  select xid::text as xid, seq, kind, id, what, model, scanned, visible from (
    select *, pg_visible_in_snapshot(xid, $3::pg_snapshot) as visible from entries
  ) as judged
  where visible or number = scanned
  order by number`;

interface ChunkRow extends Change {
  readonly scanned: number;
  readonly visible: boolean;
}

/** The new entries, each once, in chunks: each is one statement of its own, and says how far it looked. */
export async function* scanChanges(
  pool: pg.Pool,
  options: ChangesOptions,
): AsyncGenerator<ScannedChanges, void, undefined> {
  const { reader, from, to, chunkSize } = options;
  let after: LogOffset = options.after ?? { xid: '0', seq: 0 };
  for (;;) {
    const { rows } = await pool.query<ChunkRow>({
      name: 'scan-changes',
      text: chunkSql,
      values: [reader, from, to, after.xid, after.seq, chunkSize],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    after = { xid: last.xid, seq: last.seq };
    const changes = rows.flatMap(({ xid, seq, kind, id, what, model, visible }) =>
      visible ? [{ xid, seq, kind, id, what, model }] : [],
    );
    yield { changes, place: after };
    if (last.scanned < chunkSize) return;
  }
}

// Whose documents show another entity's id, name or slug. The trigger can't know them all: a relation that another
// transaction has not committed yet is invisible to it. The reader looks in its own, later snapshot; a relation that
// comes after that has an entry of its own.

/** Entities that changed, whose dependants are to be read again. */
export interface DependantLookup {
  readonly relations: readonly Dependency[];
  readonly ids: readonly number[];
}

/** What a chunk of entries asks for. */
export interface AffectedDocuments {
  /** Documents to be read again. */
  readonly ids: readonly number[];
  /** Those of them of which nothing but the vector changed. */
  readonly vectorsOnly: ReadonlySet<number>;
  /** More documents to be read again: `dependantPages` finds them. */
  readonly lookups: readonly DependantLookup[];
  /** The table was emptied: orphaned documents are to be looked for. */
  readonly truncated: boolean;
  /** Every document of the kind is to be read again. */
  readonly everything: boolean;
}

/** Who reads the log: of vectors, only those of the generation's own model are in its documents. */
export interface LogReader {
  readonly kind: KindName;
  readonly embeddingModel: string | null;
}

/** Pure: sorts a chunk's entries by what they mean to a reader. */
export function affectedDocuments(
  { kind: reader, embeddingModel }: LogReader,
  changes: readonly Change[],
): AffectedDocuments {
  const own = changes.filter(
    ({ kind, what, model }) => kind === reader && (what !== 'vector' || model === embeddingModel),
  );
  const ids = new Set(own.flatMap(({ id }) => id ?? []));
  const rows = new Set(own.flatMap(({ id, what }) => (what === 'vector' ? [] : (id ?? []))));
  const lookups = kindNames.flatMap((kind) => {
    const relations = dependencies(reader, kind);
    const changed = changes.flatMap((change) =>
      change.kind === kind && change.what === 'references' ? (change.id ?? []) : [],
    );
    return relations.length === 0 || changed.length === 0 ? [] : [{ relations, ids: [...new Set(changed)] }];
  });
  return {
    ids: [...ids],
    vectorsOnly: new Set([...ids].filter((id) => !rows.has(id))),
    lookups,
    truncated: own.some(({ what }) => what === 'truncate'),
    everything: own.some(({ what }) => what === 'all'),
  };
}

/** Changed entities asked about at a time: each is one look into the index for each page. */
const entitiesPerGroup = 200;
/** Dependants held at a time: a single company may have a million people. */
const dependantsPerPage = 5_000;

/**
 * The ids of the documents that show one of the entities, ascending for each group of entities and relation, a page at
 * a time; the same id may come more than once. Each page is a statement of its own: what changes between two of them
 * has entries of its own.
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
  // A look into the index for each entity, which gives its first ones in order. The names are the kinds' own.
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
