import type { KindImport, RelationTable } from './kinds/kind-import.ts';

// SQL of an import. Lines are written to `staged_…` tables. Lines whose slug another entity still holds wait in
// `waiting_…` tables until the file has been read, when the holder may have another slug. `seen_lines` has the file's
// ids and slugs. All of them are temporary tables of the import's session.

/** Only one import writes at a time; two would hold each other's slugs. */
export const lockImport = `select pg_try_advisory_lock(hashtext('entity-search'), hashtext('import'))`;

/** Room for the indexes of `seen_lines`, before the first temporary table is made. */
export const raiseTempBuffers = `set temp_buffers = '128MB'`;

export function createTables(kindImport: KindImport): string {
  const { kind, columns, relations } = kindImport;
  const create = (name: string, from: string, fields: readonly string[]): string =>
    `create temp table staged_${name} as select 0 as line, ${fields.join(', ')} from ${from} with no data;
     create temp table waiting_${name} (like staged_${name});`;
  return [
    'create temp table seen_lines (id bigint primary key, slug text collate "C" not null unique, line integer not null);',
    create(kind, kind, columns),
    ...relations.map((relation) => create(relation.table, relation.table, relationColumns(relation))),
  ].join('\n');
}

export function dropTables(kindImport: KindImport): string {
  const names = tablesOf(kindImport).flatMap((table) => [`pg_temp.staged_${table}`, `pg_temp.waiting_${table}`]);
  return `drop table if exists pg_temp.seen_lines, ${names.join(', ')}`;
}

export function truncateStaged(kindImport: KindImport): string {
  return `truncate ${tablesOf(kindImport)
    .map((table) => `staged_${table}`)
    .join(', ')}`;
}

/** Stages the rows of a table ($1, a JSON array). */
export function stage(table: string): string {
  return `insert into staged_${table} select * from json_populate_recordset(null::staged_${table}, $1)`;
}

/** Records the ids and slugs of staged lines, except those of an earlier line. */
export function recordSeen(kindImport: KindImport): string {
  return `insert into seen_lines (id, slug, line)
          select id, slug, line from staged_${kindImport.kind} order by line
          on conflict do nothing`;
}

/** Finds staged lines whose id or slug an earlier line has. */
export function findRepeated(kindImport: KindImport): string {
  return `select s.line, s.id, s.slug, i.line as id_line, t.line as slug_line
          from staged_${kindImport.kind} s
          left join seen_lines i on i.id = s.id
          left join seen_lines t on t.slug = s.slug
          where i.line is distinct from s.line or t.line is distinct from s.line
          order by s.line`;
}

/** Finds staged lines whose slug belongs to another entity in the table at the moment. */
export function findHeldSlugs(kindImport: KindImport): string {
  const { kind } = kindImport;
  // The limit keeps the planner from reading the whole table for a batch: staging tables have no statistics.
  return `select s.line from staged_${kind} s
          cross join lateral (select from ${kind} e where e.slug = s.slug and e.id <> s.id limit 1) as held`;
}

export function dropStaged(kindImport: KindImport): readonly string[] {
  return tablesOf(kindImport).map((table) => `delete from staged_${table} where line = any ($1::int[])`);
}

/** Moves staged lines ($1) to the waiting ones. */
export function setAside(kindImport: KindImport): readonly string[] {
  return tablesOf(kindImport).map(
    (table) => `with moved as (delete from staged_${table} where line = any ($1::int[]) returning *)
                insert into waiting_${table} select * from moved`,
  );
}

/** Stages the waiting lines; the staging table must be empty. */
export function stageWaiting(kindImport: KindImport): readonly string[] {
  return tablesOf(kindImport).map(
    (table) => `with moved as (delete from waiting_${table} returning *)
                insert into staged_${table} select * from moved`,
  );
}

/**
 * Finds waiting lines that cannot be written: the slug's holder neither waits for another slug itself nor, if $1 is
 * true, will be pruned. Dropping them makes their own entities permanent holders, so the query is repeated until it
 * finds none.
 */
export function findTakenSlugs(kindImport: KindImport): string {
  const { kind } = kindImport;
  return `select s.line, s.slug, e.id as holder
          from staged_${kind} s join ${kind} e on e.slug = s.slug and e.id <> s.id
          where not exists (select from staged_${kind} w where w.id = e.id)
            and not ($1::boolean and not exists (select from seen_lines f where f.id = e.id))
          order by s.line`;
}

export function prune(kindImport: KindImport): string {
  const { kind } = kindImport;
  return `delete from ${kind} e where not exists (select from seen_lines f where f.id = e.id)`;
}

/**
 * Writes the staged entities that are new or differ, and returns their number. This transaction locked an existing row
 * before it updated it, so its xmax is set; an inserted row has none. (Postgres 18 offers `returning old`.)
 */
export function upsertEntities(kindImport: KindImport): string {
  const { kind, columns } = kindImport;
  const others = columns.filter((column) => column !== 'id');
  const of = (row: string): string => others.map((column) => `${row}.${column}`).join(', ');
  return `with written as (
            insert into ${kind} as e (${columns.join(', ')})
            select ${columns.join(', ')} from staged_${kind}
            on conflict (id) do update set ${others.map((column) => `${column} = excluded.${column}`).join(', ')}
            where (${of('e')}) is distinct from (${of('excluded')})
            returning e.xmax = 0 as inserted
          )
          select count(*) filter (where inserted) as inserted, count(*) filter (where not inserted) as updated,
                 (select count(*) from staged_${kind}) as staged
          from written`;
}

/**
 * Makes a relation table equal to the lines of the staged entities: removes, changes and adds only the rows that
 * differ. A row keeps the id it refers to while the text that decided it is the same, also in another place of the
 * list: the entity may have been renamed since. The owner of a changed row counts as updated, once a transaction.
 * Returns the number of owners not counted before.
 */
export function replaceRelation(kindImport: KindImport, relation: RelationTable): string {
  const { table, owner, texts, reference, referenceTexts = texts, resolve } = relation;
  const { kind } = kindImport;
  const all = (row: string, columns: readonly string[]): string =>
    columns.map((column) => `${row}.${column}`).join(', ');
  return `with differing as (
            select t.*, r.${owner} is not null as known
            from staged_${table} t left join ${table} r on r.${owner} = t.${owner} and r.position = t.position
            where r.${owner} is null or (${all('r', texts)}) is distinct from (${all('t', texts)})
          ),
          target as materialized (
            select t.*, coalesce(
              (select min(o.${reference}) from ${table} o
               where o.${owner} = t.${owner} and (${all('o', referenceTexts)}) is not distinct from (${all('t', referenceTexts)})),
              ${resolve}
            ) as found
            from differing t
          ),
          removed as (
            delete from ${table} r using staged_${kind} s
            where r.${owner} = s.id
              and not exists (select from staged_${table} t where t.${owner} = r.${owner} and t.position = r.position)
            returning r.${owner} as owner
          ),
          changed as (
            update ${table} r set ${texts.map((text) => `${text} = t.${text}`).join(', ')}, ${reference} = t.found
            from target t
            where t.known and r.${owner} = t.${owner} and r.position = t.position
            returning r.${owner} as owner
          ),
          added as (
            insert into ${table} (${relationColumns(relation).join(', ')}, ${reference})
            select ${all('t', relationColumns(relation))}, t.found from target t where not t.known
            returning ${owner} as owner
          ),
          touched as (
            update ${kind} e set updated_at = now()
            from (select owner from removed union select owner from changed union select owner from added) o
            where e.id = o.owner and e.updated_at <> now()
            returning e.id
          )
          select count(*) as updated from touched`;
}

/** Updates statistics, so that a reindex right after the first import is planned well. */
export function analyze(kindImport: KindImport): string {
  return `analyze ${tablesOf(kindImport).join(', ')}`;
}

function relationColumns(relation: RelationTable): readonly string[] {
  return [relation.owner, 'position', ...relation.texts];
}

function tablesOf(kindImport: KindImport): readonly string[] {
  return [kindImport.kind, ...kindImport.relations.map((relation) => relation.table)];
}
