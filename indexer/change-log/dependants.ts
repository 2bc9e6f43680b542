import type pg from 'pg';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { type Dependency, dependencies } from '../../src/kinds/relations.ts';
import type { Change } from './changes.ts';

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
